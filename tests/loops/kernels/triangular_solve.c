// Solves L x = b, by rows and by columns.
void by_rows(int n, double l[200][200], double *restrict x, const double *restrict b) {
  for (int i = 0; i < n; i++) {
    double sum = b[i];
    for (int j = 0; j < i; j++) sum -= l[i][j] * x[j];
    x[i] = sum / l[i][i];
  }
}

void by_columns(int n, double l[200][200], double *restrict x) {
  for (int j = 0; j < n; j++) {
    x[j] = x[j] / l[j][j];
    for (int i = j + 1; i < n; i++) x[i] -= l[i][j] * x[j];
  }
}
