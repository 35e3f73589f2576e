// Last values of arrays that pointers lead to, in loops that are counted, by while and by pointers. Of do, whose first
// iteration is not asked, they are not known.
void by_while(int n, double *restrict t, double *restrict x) {
  int i = 0;
  while (i < n) {
    for (int k = 0; k < 8; k++) t[k] = x[i] + k;
    for (int k = 0; k < 8; k++) x[i] += t[k];
    i++;
  }
}
int by_do(int n, double *restrict t, double *restrict x) {
  int i = 3;
  do {
    for (int k = 0; k < 8; k++) t[k] = x[i] + k;
    for (int k = 0; k < 8; k++) x[i] += t[k];
  } while (++i < n);
  return i;
}
int down(int n, double *restrict t, double *restrict x) {
  while (n-- > 0) {
    for (int k = 0; k < 8; k++) t[k] = x[n] + k;
    for (int k = 0; k < 8; k++) x[n] += t[k];
  }
  return n;
}
double *by_pointer(int n, double *restrict t, double *restrict x) {
  double *p = x;
  for (; p < x + n; p++) {
    for (int k = 0; k < 8; k++) t[k] = *p + k;
    for (int k = 0; k < 8; k++) *p += t[k];
  }
  return p;
}
void rows(int n, int m, double (*restrict t)[8], double *restrict x) {
  int i = 0;
  while (i < n) {
    for (int k = 0; k < m; k++) t[k][2] = x[i] + k;
    for (int k = 0; k < m; k++) x[i] += t[k][2];
    i++;
  }
}
// A pointer into another array is none into this one; the second one is.
void beside(int n, double *restrict t, double *restrict x) {
  double *q = x + 1;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 8; k++) t[k] = q[i] + k;
    for (int k = 0; k < 8; k++) q[i] += t[k];
  }
}
void another_name(int n, double *restrict t, double *restrict x) {
  double *q = t;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 8; k++) t[k] = x[i] + k;
    for (int k = 0; k < 8; k++) x[i] += q[k];
  }
}
// The function that is called has a parameter of the same name.
static void fill(int m, double *t, const double *x) {
  for (int k = 0; k < m; k++) t[k] = x[k];
}
void given(int n, double *restrict t, double *restrict x) {
  for (int i = 0; i < n; i++) {
    fill(8, t, x + 8 * i);
    x[8 * i] = t[0] + t[7];
  }
}
