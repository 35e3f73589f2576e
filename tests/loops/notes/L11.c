// Reductions: a conditional sum, a maximum, and bins that are not known before.
double conditional_sum(int n, double x, double a[100][101]) {
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j <= n; j++)
      if (a[i][j] > 0) x += a[i][j];
  return x;
}

double largest(int n, const double *a) {
  double m = a[0];
  for (int i = 1; i < n; i++)
    if (a[i] > m) m = a[i];
  return m;
}

void bins(int n, int *restrict h, const int *restrict bin) {
  for (int i = 0; i < n; i++) h[bin[i]] += 1;
}
