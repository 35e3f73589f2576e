// Rows that functions are given, arrays that every iteration fills anew, and variables of the file.
static void scale(int n, double *restrict row, double f) {
  for (int j = 0; j < n; j++) row[j] *= f;
}
static double dot(int n, const double *x, const double *y) {
  double s = 0;
  for (int j = 0; j < n; j++) s += x[j] * y[j];
  return s;
}

double matrix[50][60], work[50];
int total;

void rows(int n, double (*restrict a)[100]) {
  for (int i = 0; i < n; i++) scale(100, a[i], 2);
}
void rows_of_the_file(int n, double *restrict out) {
  for (int i = 0; i < n && i < 50; i++) out[i] = dot(60, matrix[i], matrix[i]);
}
void filled(int n, int m, double *restrict t, const double *restrict a, double (*restrict b)[300]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) t[j] = a[j] + i;
    for (int j = 0; j < m; j++) b[i][j] = t[m - 1 - j];
  }
}
void filled_of_the_file(int n, double *restrict out) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 20; j++) work[j] = i * j;
    out[i] = work[3] + work[7];
  }
}
// The last iteration does not write all that others do.
void shrinking(int n, int m, double *restrict t, double *restrict out) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m - i; j++) t[j] = i;
    for (int j = 0; j < m - i; j++) out[i * m + j] = t[j];
  }
}
void sometimes(int n, int m, int *restrict t, int *restrict out, const int *restrict f) {
  for (int i = 0; i < n; i++) {
    if (f[i] > 3) {
      for (int j = 0; j < m; j++) t[j] = i;
      out[i] = t[0];
    }
  }
}
void temporary_of_the_file(int n, int *restrict a) {
  for (int i = 0; i < n; i++) {
    total = i;
    a[i] = total;
  }
}
// Each sum is cut to an integer: no reduction.
int cut(int n, const double *restrict a) {
  int x = 0;
  for (int i = 0; i < n; i++) x += a[i];
  return x;
}
// What comes after the break rests on the sum.
int until(int n, const int *restrict a, int (*restrict b)[64]) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) {
      s += b[i][j];
      if (a[s & 63] > 5) break;
    }
  }
  return s;
}
