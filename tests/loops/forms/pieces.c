// Loops that are taken apart into scans, of which some are by matrices.
void chain(int n, const double *restrict a, const double *restrict b, double *restrict x, double *restrict y) {
  for (int i = 2; i < n; i++) {
    x[i] = a[i] * x[i - 1] + b[i] * x[i - 2];
    y[i] = b[i] * y[i - 1] + x[i];
  }
}
// A variable becomes an array, which the next piece reads.
unsigned shared(int n, const unsigned *restrict a, unsigned *restrict x, unsigned *restrict y) {
  unsigned t = 0;
  for (int i = 2; i < n; i++) {
    t = a[i] + 3 * x[i - 1];
    x[i] = t + x[i - 2];
    y[i] = y[i - 1] * 5 + t + y[i - 2];
  }
  return t;
}
double four_pieces(int n, const double *restrict a, double *restrict out, double *restrict y) {
  double u = 0, v = 1, w = 2;
  for (int i = 2; i < n; i += 2) {
    const double t = a[i] * 0.5;
    y[i] = y[i - 2] * 0.25 + t;
    const double old = u;
    u = t * u + v * 0.125;
    v = old - t * v;
    w = w * 0.5 + a[i];
    out[i] = w;
  }
  return u + v;
}
unsigned down(int n, const unsigned *restrict a, unsigned *restrict x, unsigned *restrict y) {
  int i;
  for (i = n; i > 1; i--) {
    const unsigned t = a[i] * a[i - 1];
    x[i] = t * x[i + 1] + 3 * x[i + 2];
    y[i] = y[i + 1] + t;
  }
  return i;
}
// The second piece's subscript is made by the first one: it stays a loop.
void subscript(int n, const unsigned *restrict a, unsigned *restrict x, unsigned *restrict y) {
  for (int i = 2; i < n; i++) {
    const int k = 2 * i;
    y[i] = y[i - 1] * 3 + a[k];
    x[k] = a[i] * x[k - 2] + x[k - 4];
  }
}
// Names that the written program has for itself.
unsigned names(int n, const unsigned *restrict first, unsigned *restrict count, unsigned *restrict k) {
  unsigned t = 0;
  int block = 1;
  for (int i = 2; i < n; i++) {
    t = first[i] + 3 * count[i - 1];
    count[i] = t + count[i - 2];
    k[i] = k[i - 1] * 5 + t;
  }
  for (int i = 0; i < n; i++) {
    k[block] = i;
    block += 3;
  }
  return t;
}
void copied(int n, int *restrict k) {
  for (int i = 0; i < n; i++) k[i] = k[i + 1] + 1;
}
