// Private scalars: declared inside, declared outside, written in one branch only.
void declared_inside(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++) {
    double tmp = 2 * b[i];
    a[i] = tmp * tmp;
  }
}

void declared_outside(int n, double *restrict a, const double *restrict b) {
  double tmp;
  for (int i = 0; i < n; i++) {
    tmp = 2 * b[i];
    a[i] = tmp * tmp;
  }
}

void not_always_written(int n, double *restrict a, const double *restrict b) {
  double tmp = 0;
  for (int i = 0; i < n; i++) {
    if (b[i] > 0) tmp = b[i];
    a[i] = tmp;
  }
}
