// Bounds and array pointers that lie in structs, and behind pointers to structs.
struct csr {
  int n;
  const int *begin, *column;
  const double *value;
};
struct grid {
  int rows, columns;
  double *cells;
};
void product(const struct csr *m, const double *restrict x, double *restrict y) {
  for (int i = 0; i < m->n; i++) {
    double s = 0;
    for (int k = m->begin[i]; k < m->begin[i + 1]; k++) s += m->value[k] * x[m->column[k]];
    y[i] = s;
  }
}
void product_anywhere(const struct csr *m, const double *x, double *y) {
  for (int i = 0; i < m->n; i++) {
    double s = 0;
    for (int k = m->begin[i]; k < m->begin[i + 1]; k++) s += m->value[k] * x[m->column[k]];
    y[i] = s;
  }
}
void fill(struct grid *g) {
  for (int i = 0; i < g->rows; i++)
    for (int j = 0; j < g->columns; j++) g->cells[i * g->columns + j] = 0;
}
void fill_restrict(struct grid *restrict g) {
  for (int i = 0; i < g->rows; i++) g->cells[i] = 0;
}
void by_value(struct grid g) {
  for (int i = 0; i < g.rows; i++) g.cells[i] += 1;
}
// The loop, or another function, changes what its bound or its pointer lies in.
void shrink(struct grid *g, double *restrict a) {
  for (int i = 0; i < g->rows; i++) {
    a[i] = 0;
    g->rows--;
  }
}
double along(struct grid *g) {
  double s = 0;
  for (int i = 0; i < g->rows; i++) s += g->cells[i];
  return s;
}
void sums(struct grid *g) {
  for (int i = 1; i < g->rows; i++) g->cells[i] += g->cells[i - 1];
}
struct list {
  int *next, n;
};
void moved(struct list *l) {
  for (int i = 0; i < l->n; i++) {
    l->next[0] = i;
    l->next++;
  }
}
void only_bound(const struct csr *m, double *restrict a) {
  for (int i = 0; i < m->n; i++) a[i] = 0;
}
// What a function that is not known has put there may be a local array.
double local_array(struct csr *m, void (*set)(struct csr *, double *)) {
  double t[100];
  t[0] = 0;
  set(m, t);
  for (int i = 1; i < 100; i++) t[i] = m->value[i - 1];
  return t[99];
}
static double at(const struct csr *m, int i) { return m->value[i]; }
void called(struct csr *m, double *restrict y) {
  for (int i = 1; i < m->n; i++) y[i] = at(m, i - 1);
}
