// Loops that are written anew: their iterations are counted, and the body has its variable for itself.
unsigned do_unsigned(unsigned n, int *restrict a) {
  unsigned i = 0;
  do {
    a[i] = 4;
    i += 1;
  } while (i != n);
  return i;
}
int do_ne(int n, int *restrict a) {
  int i = 0;
  do {
    a[i] = 4;
    i += 1;
  } while (i != n);
  return i;
}
int do_two(int n, int m, int *restrict a) {
  int i = 0;
  do {
    a[i] = 4;
    i += 3;
  } while (i < n && i <= m);
  return i;
}
void do_overlap(int n, int *a, const int *b) {
  int i = 0;
  do {
    a[i] = b[i] + 1;
    i++;
  } while (i < n);
}
void do_copy(int n, int *a) {
  int i = 5;
  do {
    a[i] = a[i + 1] + 1;
    i++;
  } while (i < n);
}
void do_copy_down(int n, int *a) {
  int i = n;
  do {
    a[i] = a[i - 1] + 1;
    i -= 3;
  } while (i > 10);
}
double do_last(int n, double *restrict a, const double *restrict b) {
  double t;
  int i = 3;
  do {
    t = b[i] * 2;
    a[i] = t;
    i++;
  } while (i < n);
  return t + i;
}
int do_truth(int n, const int *restrict b) {
  int i = 3, all = 5;
  do {
    all = all && b[i];
    ++i;
  } while (i <= n);
  return all;
}
int do_single(int n, int *restrict a) {
  int i = 0;
  do {
    i++;
    a[i] = i;
  } while (i < n);
  return i;
}
void do_nest(int n, int m, int (*restrict a)[100]) {
  for (int j = 0; j < n; j++) {
    int i = 0;
    do {
      a[j][i] = i;
      i++;
    } while (i < m);
  }
}
void do_around(int n, int m, int (*restrict a)[100]) {
  int j = 0;
  do {
    for (int i = 0; i < m; i++) a[j][i] = i;
    j++;
  } while (j < n);
}
int from_here(int n, int i, int *restrict a) {
  for (; i < n; i++) a[i] = 3;
  return i;
}
int while_two(int n, int *restrict a) {
  int i = 0, k = 7;
  while (i < n) {
    a[k] = i;
    k += 3;
    i++;
  }
  return k;
}
// Scans.
int do_scan(int n, int *restrict a, const int *restrict b) {
  int i = 0, s = 0;
  do {
    s += b[i];
    a[i] = s;
    i++;
  } while (i < n);
  return i + s;
}
int do_scan_first(int n, int *restrict a, const int *restrict b) {
  int i = 0, s = 0;
  do {
    i += 2;
    s += b[i];
    a[i] = s;
  } while (i < n);
  return i + s;
}
int scan_break_first(int n, int *restrict a, const int *restrict b) {
  int i = 0, s = 0;
  for (;;) {
    if (i >= n) break;
    s += b[i];
    a[i] = s;
    i++;
  }
  return i + s;
}
int break_scan(int n, int *restrict a, const int *restrict b) {
  int i = 0, s = 0;
  while (1) {
    s += b[i];
    a[i] = s;
    i++;
    if (i >= n) break;
  }
  return i + s;
}
int stepping(int n, const int *restrict a, int *restrict out) {
  int s = 0;
  while (n-- > 0) {
    out[n] = s;
    s += a[n];
  }
  return s;
}
int do_fibonacci(int n) {
  int i = n, a = 0, b = 1;
  do {
    int t = a + b;
    a = b;
    b = t;
    i--;
  } while (i > 3);
  return a;
}
// By pointers.
int *pointer_ne(int n, int *restrict a) {
  int *p = a;
  for (; p != a + n; p += 1) *p = 0;
  return p;
}
int *two_down(int n, int *restrict a, const int *restrict b) {
  const int *q = b + 2;
  int *p = a + n - 1;
  while (p >= a) {
    *p = q[0] + q[1];
    q += 2;
    p--;
  }
  return p;
}
int *do_pointer(int n, int *restrict a) {
  int *p = a + 1;
  do {
    *p = 7;
    p++;
  } while (p < a + n);
  return p;
}
int *do_pointer_first(int n, int *restrict a) {
  int *p = a + 1;
  do {
    ++p;
    *p = 7;
  } while (p < a + n);
  return p;
}
int *break_pointer(int n, int *restrict a) {
  int *p = a;
  for (;;) {
    *p += 7;
    p += 2;
    if (p >= a + n) break;
  }
  return p;
}
int *not_equal_by_two(int n, int c, int *restrict a) {
  int *p;
  for (p = a + c; p != a + n; p += 2) *p = p[1];
  return p;
}
void counted_down(int n, int *restrict a) {
  int *p = a;
  while (n--) *p++ = 1;
}
void copied_along(int n, int *restrict a, const int *restrict b) {
  const int *from = b;
  for (int *to = a; to < a + n; to++) *to = *from++;
}
int sums_by_pointer(int n, const int *restrict a, int *restrict out) {
  int s = 0;
  for (const int *p = a; p < a + n; ++p) { s += *p; out[p - a] = s; }
  return s;
}
const int *scan_down(int n, const int *restrict a, int *restrict out) {
  int s = 5;
  const int *p = a + n;
  while (p > a) {
    p--;
    s = 3 * s + *p;
    out[p - a] = s;
  }
  out[n] = s;
  return p;
}
// Left as it is: the array's name is that of the pointer. Then a step in a test, and two pointers.
int *param_moves(int n, int *restrict a, int *end) {
  int *stop = a + n;
  a += 2;
  for (; a != stop; a++) *a = 5;
  return a;
}
int do_head(int n, int *restrict a) {
  int i = 0;
  do
    a[i] = 2 * a[i] + 1;
  while (++i < n);
  return i;
}
void overlap(int n, int *a, const int *b) {
  for (int *p = a; p < a + n; p++) *p = *b++;
}
