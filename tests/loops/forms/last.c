// Last values of arrays that pointers lead to, in loops that are counted, by while, do and pointers.
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
// Steps of other sizes, and do.
int by_three(int n, double *restrict t, double *restrict x) {
  int i;
  for (i = 1; i < n; i += 3) {
    for (int k = 0; k < 8; k++) t[k] = x[i] + k;
    for (int k = 0; k < 8; k++) x[i] += t[k];
  }
  return i;
}
double *pointer_by_two(int n, double *restrict t, double *restrict x) {
  double *p = x;
  for (; p < x + n; p += 2) {
    for (int k = 0; k < 8; k++) t[k] = *p + k;
    for (int k = 0; k < 8; k++) *p += t[k];
  }
  return p;
}
int do_by_two(int n, int m, double *restrict t, double *restrict x) {
  int i = 3;
  do {
    for (int k = 0; k < m; k++) t[k] = x[i] + k;
    for (int k = 0; k < m; k++) x[i] += t[k];
    i += 2;
  } while (i < n && i <= m);
  return i;
}
int do_until_none(int n, int m, double *restrict t, double *restrict x) {
  do {
    if (m > 3) {
      t[0] = x[n];
      t[1] = t[0] + n;
      x[n] = t[1];
    }
  } while (n--);
  return n;
}
double *do_pointer(int n, double *restrict t, double *restrict x) {
  double *p = x + n;
  do {
    for (int k = 0; k < 8; k++) t[k] = *p + k;
    for (int k = 0; k < 8; k++) *p += t[k];
    p -= 2;
  } while (p > x);
  return p;
}
// Some iterations write less: the first alone, all but the first, and those that the condition lets run; or others.
void first_alone(int n, double *restrict t, double *restrict x) {
  int i = 3;
  do {
    if (i == 3) t[0] = x[i];
    t[1] = x[i] + 1;
    x[i] = t[1];
  } while (++i < n);
}
void where_the_condition_holds(int n, double *restrict t, double *restrict x) {
  int i = 3;
  do {
    if (i < n) t[0] = x[i];
    t[1] = x[i] + 1;
    x[i] = t[1];
  } while (++i < n);
}
void by_number(int n, double *restrict t, double *restrict x) {
  int k = 0;
  for (int i = 0; i < n; i += 2) {
    if (k >= 3) t[0] = x[i];
    t[1] = x[i] + 1;
    x[i] = t[1];
    k += 3;
  }
}
void others(int n, double *restrict t, double *restrict x) {
  int k = 0;
  for (int i = 0; i < n; i += 2) {
    t[k] = x[i];
    x[i] = t[k] + 1;
    t[1] = 4;
    k += 1;
  }
}
