// A rotation: each iteration reads what the next one writes.
void rotate(int n, double *a) {
  double first = a[0];
  for (int i = 0; i < n - 1; i++) a[i] = a[i + 1];
  a[n - 1] = first;
}
