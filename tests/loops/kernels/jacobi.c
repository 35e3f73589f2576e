// Steps of Jacobi's iteration on a square, from one array to the other and back.
void jacobi(int steps, int n, double a[200][200], double b[200][200]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) b[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) a[i][j] = b[i][j];
  }
}
