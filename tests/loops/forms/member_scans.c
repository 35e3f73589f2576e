// Scans of arrays that lie in structs, and of members of the elements of an array.
struct grid {
  int n;
  double *cells, *other;
};
struct point {
  int x, y;
};
void sums(struct grid *g) {
  for (int i = 1; i < g->n; i++) g->cells[i] += g->cells[i - 1];
}
void sums_restrict(struct grid *restrict g, const double *restrict b) {
  for (int i = 1; i < g->n; i++) g->cells[i] = g->cells[i - 1] + b[i];
}
void by_value(struct grid g, int n, const double *restrict b) {
  for (int i = 1; i < n; i++) g.cells[i] = 0.5 * g.cells[i - 1] + b[i];
}
void other_array(struct grid g, int n) {
  for (int i = 1; i < n; i++) g.cells[i] = g.cells[i - 1] + g.other[i];
}
void of_points(int n, struct point *restrict p) {
  for (int i = 1; i < n; i++) p[i].x += p[i - 1].x;
}
void linear_points(int n, struct point *restrict p) {
  for (int i = 1; i < n; i++) p[i].x = 3 * p[i - 1].x + p[i].y;
}
void linear_sum(int n, struct point *restrict p) {
  for (int i = 1; i < n; i++) p[i].x += 2 * p[i - 1].x;
}
void with_induction(int n, struct point *restrict p, const int *restrict b) {
  int k = 0;
  for (int i = n - 2; i >= 0; i--) {
    p[i].y = p[i + 1].y + b[k];
    k += 2;
  }
}
// Left as they are, or distributed: one member is made of the other one, or is no array.
void both(int n, struct point *restrict p) {
  for (int i = 1; i < n; i++) {
    p[i].y = p[i].x;
    p[i].x = p[i - 1].x + p[i].y;
  }
}
void crosswise(int n, struct point *restrict p) {
  for (int i = 1; i < n; i++) {
    p[i].x = p[i - 1].y + 1;
    p[i].y = p[i - 1].x + 2;
  }
}
int scalar(int n, struct point *restrict p, const int *restrict b, int *restrict a) {
  for (int i = 0; i < n; i++) {
    p->x += b[i];
    a[i] = p->x;
  }
  return p->x;
}
