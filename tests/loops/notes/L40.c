// A variable that grows in some iterations: where the kept values go.
int keep(int n, double *restrict a, const double *restrict b) {
  int next = 0;
  for (int i = 0; i < n; i++)
    if (b[i] > 0) {
      a[next] = b[i];
      next = next + 1;
    }
  return next;
}
