// A variable that grows by the same amount in every iteration.
void every_second(int n, int k, double *a) {
  for (int i = 0; i < n; i++) {
    k += 2;
    a[k] = i;
  }
}
