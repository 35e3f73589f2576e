// A scalar that every iteration writes first, in a recurrence and in a loop without one.
void with_recurrence(int n, double *restrict a, double *restrict b) {
  double tmp;
  for (int i = 2; i < n; i++) {
    tmp = 2 * b[i - 2];
    a[i] = tmp;
    b[i] = tmp + b[i - 1];
  }
}

double needed_later(int n, double *restrict a, const double *restrict b) {
  double tmp = 0;
  for (int i = 0; i < n; i++) {
    tmp = 2 * b[i];
    a[i] = tmp;
  }
  return tmp;
}
