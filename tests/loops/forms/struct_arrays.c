// --check makes arrays for the pointers of every struct of an array, not only of the first.
struct row {
  int n;
  double *x;
};
struct pair {
  int *restrict a;
  const int *restrict b;
};
double totals(int n, const struct row *restrict p, double *restrict sum) {
  for (int i = 0; i < n; i++) sum[i] = 0;
  for (int i = 0; i < n; i++) sum[i] += p[i].x[0] + p[i].x[p[i].n];
  return n > 0 ? sum[0] : 0;
}
void filled(int n, struct row *p, double v) {
  for (int i = 0; i < n; i++) {
    p[i].x[1] = v * i;
    p[i].n = i;
  }
  for (int k = 0; k < n; k++) p[k].n += 1;
}
static void set(struct row *restrict r, double v) {
  for (int k = 0; k < 8; k++) r->x[k] = v * k;
}
void each(int n, struct row *p, double v) {
  for (int i = 0; i < n; i++) set(&p[i], v);
}
int copied(int n, struct pair *restrict p, int *restrict sizes) {
  for (int i = 0; i < n; i++) sizes[i] = i;
  for (int i = 1; i < n; i++) p[i].a[2] = p[i - 1].b[3] + p[i].b[1] + sizes[i];
  return n;
}
int swapped(int n, struct row *p, int *restrict a) {
  for (int i = 0; i < n; i++) a[i] = i;
  if (n > 3) {
    double *const t = p[2].x;
    p[2].x = p[3].x;
    p[3].x = t;
    p[1].x++;
  }
  return n;
}
