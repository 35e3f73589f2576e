// Structs, and tables of rows, that --check makes arguments of.
struct point {
  double x, y;
  int w[3];
};
typedef struct {
  int n;
  double h;
} grid;
struct point points[40];

void moved(int n, struct point *p) {
  for (int i = 0; i < n; i++) p[i].x = p[i].y * 2;
}
void on_grid(grid g, double *restrict a) {
  for (int i = 0; i < g.n; i++) a[i] = g.h * i;
}
long weights(int n, const struct point *p) {
  long s = 0;
  for (int i = 0; i < n; i++) s += p[i].w[1];
  return s;
}
void of_the_file(int n) {
  for (int i = 0; i < n && i < 40; i++) points[i].w[2] = i;
}
// The loop over rows is not proven; what it is given is.
static void scale(int m, double *row, double f) {
  for (int j = 0; j < m; j++) row[j] *= f;
}
void scaled_rows(int n, int m, double **rows) {
  for (int i = 0; i < n; i++) scale(m, rows[i], 2);
}
// Pointers in structs lead to arrays of their own.
struct csr {
  int n;
  const int *row, *column;
  double *val;
};
struct size {
  int rows, columns;
};
struct image {
  struct size size;
  float *restrict pixels;
  unsigned *counts;
};
void scale_rows(struct csr m, const double *restrict f) {
  for (int i = 0; i < m.n; i++)
    for (int k = m.row[i]; k < m.row[i + 1]; k++) m.val[k] *= f[i];
}
void csr_product(const struct csr *restrict m, const double *restrict x, double *restrict y) {
  for (int i = 0; i < m->n; i++) {
    double s = 0;
    for (int k = m->row[i]; k < m->row[i + 1]; k++) s += m->val[k] * x[m->column[k]];
    y[i] = s;
  }
}
void brighten(struct image *restrict p, float by) {
  for (int i = 0; i < p->size.rows; i++)
    for (int j = 0; j < p->size.columns; j++) p->pixels[i * 32 + j] += by;
}
double running(struct csr m) {
  for (int i = 1; i < m.n; i++) m.val[i] += m.val[i - 1];
  return m.val[0];
}
void counted(struct image p, int *restrict a) {
  for (int i = 0; i < p.size.rows; i++) a[i] = p.counts[i] % 7;
}
