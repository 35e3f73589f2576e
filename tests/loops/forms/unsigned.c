// Unsigned values that only data is made of may wrap around; those that decide something must not.
unsigned fibonacci(int n, unsigned *restrict out) {
  unsigned a = 0, b = 1;
  for (int i = 0; i < n; i++) {
    unsigned t = a + b;
    a = b;
    b = t;
    out[i] = a;
  }
  return a;
}
unsigned congruence(int n, unsigned *restrict out) {
  unsigned x = 1;
  for (int i = 0; i < n; i++) {
    unsigned t = x * 1664525u;
    x = t + 1013904223u;
    out[i] = x;
  }
  return x;
}
// A part of it is cut, so it is no sum modulo 2^64.
unsigned long long cut(int n, const unsigned *restrict a) {
  unsigned long long h = 5;
  for (int i = 0; i < n; i++) {
    unsigned t = h * 3;
    h = t + 7ull * a[i];
  }
  return h;
}
unsigned coupled(int n, const unsigned *restrict a, unsigned *restrict out) {
  unsigned u = 1, v = 2;
  for (int i = 0; i < n; i++) {
    unsigned t = a[i] * u;
    u = t + v;
    v = 3 * t + v;
    out[i] = u;
  }
  return v;
}
void data(int n, unsigned m, unsigned *restrict a) {
  for (int i = 0; i < n; i++) {
    const unsigned t = m - i, u = t * t;
    a[i] = u + 1;
  }
}
// Subscripts, conditions and bounds; also by way of another variable.
void subscript(unsigned n, unsigned m, int *restrict a) {
  for (unsigned i = 0; i < n; i++) {
    const unsigned t = m + i;
    a[t] = 1;
  }
}
void by_another(unsigned n, unsigned m, int *restrict a) {
  for (unsigned i = 0; i < n; i++) {
    const unsigned t = m + i, k = t;
    a[k] = 1;
  }
}
void condition(unsigned n, unsigned m, int *restrict a) {
  for (unsigned i = 0; i < n; i++) {
    const unsigned t = m + i;
    if (t > 5) a[0] = 1;
  }
}
void bound(unsigned n, unsigned m, int *restrict a) {
  for (unsigned i = 0; i < n; i++) {
    const unsigned t = i + 3;
    for (unsigned k = i; k < t - 2; k++) a[k] = m;
  }
}
void lazy(unsigned n, unsigned m, int *restrict a, int *restrict b) {
  for (unsigned i = 0; i < n; i++) {
    const unsigned t = m + i;
    b[i] = t > 5 && a[i];
    a[n + i] = b[i] ? 3 : 4;
  }
}
