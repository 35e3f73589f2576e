// Linear functions of the value before: forwards, backwards, of a scalar, of integers, and where some start anew.
void forward(int n, const double *restrict a, const double *restrict b, double *restrict y) {
  for (int i = 1; i < n; i++) y[i] = b[i] + a[i] * y[i - 1];
}

void backward(int n, const double *restrict c, const double *restrict u, const double *restrict y,
              double *restrict x) {
  for (int i = n - 2; i >= 0; i--) x[i] = (y[i] - c[i] * x[i + 1]) / u[i];
}

double smoothed(int n, double alpha, const double *restrict v, double *restrict level) {
  double now = 0;
  for (int i = 0; i < n; i++) {
    now = alpha * v[i] + (1 - alpha) * now;
    level[i] = now;
  }
  return now;
}

unsigned hash(int n, const unsigned char *text) {
  unsigned h = 7;
  for (int i = 0; i < n; i++) h = 31 * h + text[i];
  return h;
}

void anew(int n, const int *restrict kind, const int *restrict v, int *restrict out) {
  int x = 0;
  for (int i = 0; i < n; i++) {
    if (kind[i] == 0)
      x = 0;
    else if (kind[i] == 1)
      x *= -1;
    x += v[i];
    out[i] = x;
  }
}

// What is added knows of the value before.
void choosing(int n, const double *restrict a, double *restrict x) {
  for (int i = 1; i < n; i++) {
    const double t = x[i - 1] > 1 ? 1 : 2;
    x[i] = a[i] * x[i - 1] + t;
  }
}

// Two elements of iterations before are no function of one.
void neighbours(int n, double (*a)[100]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++) a[i][j] = a[i - 1][j] + a[i][j - 1] / 2;
}
