// An array that every iteration fills before it reads it; and a flat matrix whose rows run into each other.
void filled_first(int n, int m, double x[100][100]) {
  int a[m];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) a[j] = (4 * i + 4 * j) % m;
    for (int k = 1; k < 100; k++) x[i][k] = x[i][k - 1] * a[a[(2 * i + k) % m]];
  }
}

void flat_from_0(int n, int m, double *x) {
  for (int i = 1; i < n; i++)
    for (int k = 0; k < m; k++)
      x[i * m + k] = x[i * m + k - 1] * 2;
}

void flat_from_1(int n, int m, double *x) {
  for (int i = 1; i < n; i++)
    for (int k = 1; k < m; k++)
      x[i * m + k] = x[i * m + k - 1] * 2;
}

// The element that is written is not known to be the one that is read, though both depend on data.
void another_element(int n, int *restrict b, const int *restrict index) {
  int w[64];
  for (int j = 0; j < n; j++) {
    w[index[j & 7]] = 1;
    if (b[j] > 2) b[j] = w[j];
  }
}
