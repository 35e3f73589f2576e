// Scans: of an array, of an accumulator, and of the columns of a matrix.
void sums(int n, int *restrict a, const int *restrict b) {
  a[0] = b[0];
  for (int i = 1; i < n; i++) a[i] = a[i - 1] + b[i];
}

void accumulator(int n, int *a) {
  int acc = 0;
  for (int i = 0; i < n; i++) {
    acc ^= i;
    a[i] = acc;
  }
}

void columns(int n, int m, int (*restrict a)[100], int (*restrict b)[100]) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = a[i - 1][j] + b[i][j];
}
