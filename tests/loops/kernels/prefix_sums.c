// Inclusive and exclusive prefix sums.
void inclusive(int n, long *restrict sums, const int *restrict values) {
  long sum = 0;
  for (int i = 0; i < n; i++) {
    sum += values[i];
    sums[i] = sum;
  }
}

void exclusive(int n, long *restrict sums, const int *restrict values) {
  long sum = 0;
  for (int i = 0; i < n; i++) {
    sums[i] = sum;
    sum += values[i];
  }
  sums[n] = sum;
}

void in_place(int n, long *sums) {
  for (int i = 1; i < n; i++) sums[i] = sums[i] + sums[i - 1];
}
