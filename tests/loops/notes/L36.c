// Independence: no flow and no anti-dependences means that what is left can be private; here, the last values too.
void output_only(int n, int m, double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++) {
    double row[100];
    for (int j = 0; j < m; j++) row[j] = a[j] + i;
    for (int j = 0; j < m; j++) b[i * m + j] = row[m - 1 - j];
  }
}

void flow(int n, double *a) {
  for (int i = 1; i < n; i++) a[i] = a[i - 1] / 2;
}

// What one iteration of the last part reads was there before the loop.
double read_before_written(int n, double *restrict a, const double *restrict b) {
  double t[4];
  t[0] = b[0];
  t[1] = b[1];
  for (int i = 0; i < n; i++) {
    t[2] = b[i] + t[0];
    a[i] = t[2] * t[1];
  }
  return a[0];
}
