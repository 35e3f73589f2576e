// What a call does with an array: the elements that it only reads, reads and writes, and writes first.
static void reader(int n, const double *x, double *sum) {
  for (int i = 0; i < n; i++) sum[0] += x[i];
}

static void writer(int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = i;
}

static void updater(int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = x[i] / 2;
}

static void write_then_read(int n, int m, double *x, double *sum) {
  writer(n, x);
  reader(m, x, sum);
}

void rows(int n, int m, int w, double *restrict x, double *restrict sums) {
  for (int i = 0; i < n; i++) {
    write_then_read(w, w, &x[i * w], &sums[i]);
    updater(w, &x[i * w]);
  }
}

double square(double v) { return v * v; }

void squares(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++) y[i] = square(x[i]) + square(x[i + 1]);
}
