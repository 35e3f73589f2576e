// A sweep of Gauss and Seidel: each point needs the new ones above and to the left.
void gauss_seidel(int n, double a[200][200]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) a[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
}

// Its red and black half sweeps.
void red_black(int n, double a[200][200]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n / 2; j++)
      a[i][2 * j] = (a[i][2 * j - 1] + a[i][2 * j + 1]) / 2;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n / 2; j++)
      a[i][2 * j + 1] = (a[i][2 * j] + a[i][2 * j + 2]) / 2;
}
