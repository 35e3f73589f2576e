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
