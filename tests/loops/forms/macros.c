// Elements that macros name. Those that are nothing else are written out where the loop takes another form.
#define A(i, j) a[(i) * n + (j)]
#define B(i) (b[i])
#define LENGTH 3
#define C(i, j) c[i][(j) + LENGTH]
double powers(int n, double *restrict a) {
  for (int i = 1; i < n; i++) A(0, i) = A(0, i - 1) * 0.5 + i;
  return a[0];
}
void sums(int n, int *restrict a) {
  for (int i = 1; i < n; i++) A(0, i) += A(0, i - 1);
}
void columns(int n, int *restrict a) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++) A(j, i) += A(j, i - 1);
}
void count(int n, const int *restrict k, int *restrict b) {
  for (int i = 0; i < n; i++) B(k[i])++;
}
int running(int n, const int *restrict a, int *restrict b) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    s = 3 * s + A(0, i);
    B(i) = s;
  }
  return s;
}
void fibonacci(int n, unsigned *restrict b) {
  for (int i = 2; i < n; i++) B(i) = B(i - 1) + B(i - 2);
}
void shift(int n, int *restrict b) {
  for (int i = 0; i < n; i++) B(i) = B(i + 1);
}
void stepping(int n, int *restrict b, const int *restrict a) {
  int i = 0, s = 0;
  while (i < n) {
    s = 5 * s + A(i, 0);
    b[i++] = s;
  }
}
int pieces(int n, int *restrict a, int *restrict b) {
  for (int i = 2; i < n; i++) {
    A(0, i) = A(0, i - 1) * 3 + A(0, i - 2);
    B(i) = B(i - 1) * 7 + A(0, i);
  }
  return b[0];
}
void overlap(int n, int *a, const int *b) {
  for (int i = 1; i < n; i++) A(0, i) = A(0, i - 1) * 3 + B(i);
}
void constant(int n, int (*restrict c)[3]) {
  for (int i = 1; i < n; i++) C(i, -1) = C(i - 1, -1) * 3 + i;
}
// Left as they are: other texts, other macros within, what is defined twice, or under a condition.
#define NEXT(i) b[i] + 1
#define TWICE(i) b[2 * (i)]
#define AT(i) b[i]
#ifdef LENGTH
#define MAYBE(i) b[i]
#endif
void not_an_element(int n, int *restrict b) {
  for (int i = 1; i < n; i++) b[i] = 3 * NEXT(i - 1);
}
void nested(int n, int *restrict b) {
  for (int i = 1; i < n; i++) B(LENGTH * i) = 3 * B(LENGTH * i - 3) + B(i * B(0)) * 0;
}
void maybe(int n, int *restrict b) {
  for (int i = 1; i < n; i++) MAYBE(i) = 3 * MAYBE(i - 1) + 1;
}
#undef AT
#define AT(i) b[n - (i)]
void twice(int n, int *restrict b) {
  for (int i = 1; i < n; i++) AT(i) = 3 * AT(i - 1) + 1;
}
