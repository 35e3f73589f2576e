// Conditions on members of structs, and on what they lead to.
struct shape {
  int n, shift;
  const int *begin, *perm;
  double *x;
};
struct shape whole;

void by_value(struct shape s, double *a) {
  for (int i = 0; i < s.n; i++) a[i] = a[i + s.shift];
}
void behind(const struct shape *s, double *restrict a) {
  for (int i = 0; i < s->n; i++) a[i] = a[i + s->shift];
}
void stride(const struct shape *s, double *restrict a) {
  for (int i = 0; i < s->n; i++) a[i * s->shift] = i;
}
void of_the_file(int *a) {
  for (int i = 0; i < whole.n; i++) a[i] = a[i + whole.shift];
}
void held(struct shape s, double *a) {
  for (int i = 0; i < s.n; i++) a[i] = s.x[i];
}
void held_behind(struct shape *s, double *a) {
  for (int i = 0; i < s->n; i++) a[i] = s->x[i] + s->shift;
}
void bound_only(const struct shape *s, int *a) {
  for (int i = 0; i < s->n; i++) a[i] = 1;
}
void two(const struct shape *s, const struct shape *t, double *restrict a) {
  for (int i = 0; i < s->n; i++) a[i] = a[i + t->shift];
}
void some(int n, struct shape *s, int *a) {
  for (int i = 0; i < n; i++) {
    s[i].n = 3;
    a[i] = 5;
  }
}
void rows(const struct shape *s, double *restrict a) {
  for (int i = 0; i < s->n; i++)
    for (int k = s->begin[i]; k < s->begin[i + 1]; k++) a[k] = i;
}
void permuted(const struct shape *s, double *restrict a) {
  for (int i = 0; i < s->n; i++) a[s->perm[i]] = i;
}
// Left as they are: the name means something else there; the array is written before, and so may the member; the
// loop may not read it.
void hidden(int n, const struct shape *s, double *restrict a) {
  for (int i = 0; i < s->n; i++) a[i] = a[i + s->shift];
  {
    double s = n;
    a[0] = s;
  }
}
void before(struct shape *s, int *a) {
  a[0] = 3;
  for (int i = 0; i < s->n; i++) a[i] = a[i + s->shift];
}
void now_and_then(int n, const struct shape *s, int *restrict a) {
  for (int i = 0; i < n; i++)
    if (a[i] > 3) a[i] = a[i + s->shift];
}
void moving(const struct shape *s, double *restrict a) {
  s++;
  for (int i = 0; i < s->n; i++) a[i] = a[i + s->shift];
}
