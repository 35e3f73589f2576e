// Dependences in the order of iterations: written and read later, read and written later, written twice; carried by a
// loop, or within one iteration. (2, 4) comes before (3, 3).
void read_after_write(int n, double *restrict x, double *restrict y) {
  for (int i = 1; i < n; i++) {
    x[i] = i;
    y[i] = x[i - 1];
  }
}
void write_after_read(int n, double *restrict x, double *restrict y) {
  for (int i = 0; i < n - 1; i++) {
    y[i] = x[i + 1];
    x[i] = i;
  }
}
void write_after_write(int n, double *restrict x) {
  for (int i = 1; i < n; i++) {
    x[i] = 1;
    x[i - 1] = 2;
  }
}
void within(int n, double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    x[i] = i;
    y[i] = x[i];
  }
}
void in_lexicographic_order(int n, double x[100][100]) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n - 1; j++) x[i][j] = x[i - 1][j + 1] + 1;
}
