// Linear recurrences of a higher order, and of several variables that need each other: products of matrices.
void second_order(int n, const double *restrict a, const double *restrict b, const double *restrict c,
                  double *restrict x) {
  for (int i = 2; i < n; i++) x[i] = a[i] * x[i - 1] + b[i] * x[i - 2] + c[i];
}

// In several statements, downwards, with a part of the sum first.
void third_order(int n, const long *restrict a, long *restrict x, long *restrict y) {
  for (int i = n - 4; i >= 0; i--) {
    const long far = a[i] * (x[i + 3] - x[i + 2]);
    x[i] *= 3;
    x[i] += far - 2 * x[i + 1];
    y[i] = x[i + 2];
  }
}

void every_second(int n, const int *restrict a, int *restrict x) {
  for (int i = 4; i < n; i += 2) x[i] = a[i] * x[i - 2] - x[i - 4];
}

int fibonacci(int n) {
  int a = 0, b = 1;
  for (int i = 0; i < n; i++) {
    const int next = a + b;
    a = b;
    b = next;
  }
  return a;
}

// What is scaled is made in the loop, and is a private variable.
double rotated(int n, const double *restrict angle, double *restrict out) {
  double u = 1, v = 0, part;
  for (int i = 0; i < n; i++) {
    part = angle[i] / 1000;
    const double old = u;
    u = u - part * v;
    v = v + part * old;
    out[i] = u;
  }
  return v;
}

// Arrays, and an array with a variable.
void two_arrays(int n, const float *restrict a, const float *restrict b, float *restrict u, float *restrict v) {
  for (int i = 1; i < n; i++) {
    u[i] = u[i - 1] / 2 + a[i] * v[i - 1] / 1000;
    v[i] = u[i] / 4 - v[i - 1] / 2 + b[i];
  }
}

unsigned with_level(int n, const unsigned *restrict a, unsigned *restrict x) {
  unsigned level = 1;
  for (int i = 1; i < n; i++) {
    x[i] = a[i] * x[i - 1] + 5 * level;
    level = level + x[i] - x[i - 1];
  }
  return level;
}

void rows(int n, int m, const double (*restrict a)[100], double (*restrict x)[100]) {
  for (int j = 0; j < m; j++)
    for (int i = 2; i < n; i++) x[j][i] = a[j][i] * x[j][i - 1] / 1000 + x[j][i - 2] / 2;
}

// Beside it, sums and branches that need its values.
double summed(int n, const double *restrict b, double *restrict x, double *restrict y) {
  double sum = 0;
  for (int i = 2; i < n; i++) {
    x[i] = x[i - 1] / 2 - x[i - 2] / 4 + b[i];
    if (x[i] > 1) y[i] = x[i - 1];
    sum += x[i];
  }
  return sum;
}

// None of these are.
void product(int n, double *restrict x) {
  for (int i = 2; i < n; i++) x[i] = x[i - 1] * x[i - 2];
}

void quotient(int n, int *restrict x) {
  for (int i = 2; i < n; i++) x[i] = x[i - 1] / 2 + x[i - 2];
}

void two_strands(int n, double *restrict x) {
  for (int i = 2; i < n; i++) x[i] = x[i - 2] / 2;
}

void unknown_distance(int n, int m, double *restrict x) {
  for (int i = 2; i < n; i++) x[i] = x[i - 1] + x[i - m];
}

void other_reader(int n, double *restrict x, double *restrict y) {
  for (int i = 2; i < n; i++) {
    x[i] = x[i - 1] + x[i - 2];
    y[i] = x[2];
  }
}

void other_writer(int n, const double *restrict y, double *restrict x) {
  for (int i = 2; i < n; i++) {
    x[i] = x[i - 1] + x[i - 2];
    x[0] = y[i];
  }
}

void by_index(int n, const int *restrict at, double *restrict x) {
  for (int i = 2; i < n; i++) x[at[i]] = x[at[i] - 1] + x[at[i] - 2];
}

void by_square(int n, double *restrict x) {
  for (int i = 2; i < n; i++) x[i * i] = x[i * i - 2 * i + 1] + x[i * i - 4 * i + 4];
}

void now_and_then(int n, const int *restrict flag, double *restrict x) {
  for (int i = 2; i < n; i++) {
    if (flag[i]) x[i] = x[i - 1] + x[i - 2];
  }
}

void chosen_scale(int n, double *restrict x) {
  for (int i = 2; i < n; i++) {
    double scale = 1;
    if (x[i - 1] > 2) scale = 0.5;
    x[i] = scale * x[i - 1] + x[i - 2];
  }
}

void at_a_state(int n, const int *restrict a, int *restrict out) {
  int u = 0, v = 1;
  for (int i = 0; i < n; i++) {
    const int old = u;
    u = v + a[u & 15];
    v = v + old;
    out[i] = u;
  }
}

double cut(int n, const double *restrict a) {
  double u = 1, v = 2;
  for (int i = 0; i < n; i++) {
    const int whole = (int)u;
    u = a[i] * v + whole;
    v = u - v;
  }
  return u;
}

unsigned char narrow(int n, const unsigned *restrict a, unsigned *restrict out) {
  unsigned u = 1, v = 2;
  for (int i = 0; i < n; i++) {
    const unsigned char low = (unsigned char)v;
    v = v + u;
    u = a[i] * u + low;
    out[i] = u;
  }
  return (unsigned char)v;
}

// One needs the other, but not the other way: two scans, one after the other.
void one_way(int n, const double *restrict a, double *restrict out) {
  double u = 0, v = 1;
  for (int i = 0; i < n; i++) {
    v = a[i] * v + 1;
    u = a[i] * u + v;
    out[i] = u;
  }
}

int left(int n, const int *restrict a, int *restrict x) {
  for (int i = 2; i < n; i++) {
    x[i] = x[i - 1] + x[i - 2];
    if (a[i] < 0) break;
  }
  return 0;
}

static int seen;
static int look(int x) {
  seen = x;
  return x;
}
void called(int n, int *restrict x) {
  for (int i = 2; i < n; i++) x[i] = look(x[i - 1]) + x[i - 2];
}
