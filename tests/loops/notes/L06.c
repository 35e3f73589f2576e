// A statement that reads what another, recurrent one has written two iterations before.
void recurrence_and_reader(int n, double *restrict a, double *restrict b) {
  for (int i = 2; i < n; i++) {
    a[i] = b[i - 2];
    b[i] = b[i - 1];
  }
}
