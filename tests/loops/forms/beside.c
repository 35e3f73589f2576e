// Scans with inductions beside them: each iteration has these for itself, with the values of their closed forms.
#include <stddef.h>

int* moving(int n, int* restrict a, const int* restrict b) {
  int s = 0, *p = a;
  const int* q = b;
  for (int i = 0; i < n; i++) {
    *p++ = s;
    s += *q++;
  }
  return p + (q - b);
}
int by_count(int n, int* restrict a, const int* restrict b) {
  int s = 5;
  while (n--) {
    s += *b++;
    *a++ = s;
  }
  return s + n;
}
int by_do(unsigned n, int* restrict a, const int* restrict b) {
  int s = 5;
  do {
    s += *b++;
    *a++ = s;
  } while (n--);
  return s + n;
}
int* two_pointers(int n, int* restrict a, const int* restrict b) {
  int s = 0, *p = a;
  for (const int* q = b; q < b + n; q += 2) {
    s = 3 * s + *q;
    *p++ = s;
  }
  return p;
}
int strides(int n, int* restrict a, const int* restrict b) {
  int s = 1, k = 4 * n, m = 2;
  for (int i = 0; i < n; i++) {
    k -= 3;
    s ^= b[k] + m;
    a[m] = s;
    m += 2;
  }
  return s + k + m;
}
long wide(int n, long* restrict a, const long* restrict b) {
  long s = 1, k = 0;
  int i = 0;
  do {
    s = s > b[k] ? s : b[k];
    a[i] = s;
    k += 2;
    i += 3;
  } while (i < n);
  return s + k + i;
}
int packed(int n, int* restrict a, const int* restrict b) {
  int next = 0;
  for (int i = 0; i < n; i++) {
    if (*b > 3) a[next++] = *b;
    b++;
  }
  return next;
}
int packed_by_step(int n, int* restrict a, const int* restrict b) {
  int next = 0;
  const int* q = b;
  for (int i = 0; i < n; i++) {
    const int x = *q++;
    if (x > 3) a[next++] = x;
  }
  return next + (q - b);
}
int along(int n, int* restrict a, const int* restrict b) {
  int k = 7;
  for (int i = 1; i < n; i++) {
    a[i] = a[i - 1] + b[k];
    k += 2;
  }
  return k;
}
double quotients(int n, double* restrict u, const double* restrict b) {
  double s = 2;
  int k = 1;
  for (int i = 0; i < n; i++) {
    s = b[k] + 1 / (s + 3);
    u[i] = s;
    k++;
  }
  return s + k;
}
int segmented(int n, int* restrict a, const int* restrict b) {
  int s = 0, k = 2;
  for (int i = 0; i < n; i++) {
    if (b[k] > 3) s = 0;
    s += b[k + 1];
    a[i] = s;
    k += 2;
  }
  return s + k;
}
int between(int n, int* restrict a, const int* restrict b) {
  int s = 0, k = 2;
  for (int i = 0; i < n; i++) {
    s += b[k];
    k += 3;
    s += b[k];
    a[i] = s + k;
  }
  return s + k;
}
int both(int n, int* restrict a, const int* restrict b) {
  int s = 0, k = 2, r = 1;
  for (int i = 0; i < n; i++) {
    s += b[k];
    r += 2 * s;
    k += 3;
    a[i] = s;
  }
  return s + k + r;
}
int one_statement(int n, int* restrict a, const int* restrict b) {
  int next = 0;
  const int* q = b;
  for (int i = 0; i < n; i++) {
    if (b[i] > 2) a[next++] = *q;
    q++;
  }
  return next + (q - b);
}
int with_last_value(int n, int* restrict a, const int* restrict b) {
  int s = 0, k = 0, t = 4;
  for (int i = 0; i < n; i++) {
    t = b[k] + k;
    k += 2;
    s += t * k;
    a[i] = s;
  }
  return s + k + t;
}
int inner_loop(int n, int* restrict a, const int* restrict b) {
  int s = 0, k = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 3; j++) s += b[k + j];
    k += 3;
    a[i] = s;
  }
  return s + k;
}
long by_two_down(int n, long* restrict a, const long* restrict b) {
  long s = 0;
  long k = 4;
  for (int i = n; i > 0; i -= 2) {
    a[k] = s;
    s = s + b[k];
    k = k + 5;
  }
  return s + k;
}
// The first pass needs elements that the loop writes at an induction.
int through(int n, int* restrict a, int* restrict c, const int* restrict b) {
  int s = 0, k = 0;
  for (int i = 0; i < n; i++) {
    c[k] = b[i];
    s += c[k];
    a[i] = s;
    k += 2;
  }
  return s + k;
}
// Left as they are: the subscript of the element before is one, the step stands in a function or under a condition.
int at_itself(int n, int* restrict a, const int* restrict b) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    k++;
    a[k] = a[k - 1] + b[i];
  }
  return k;
}
int within(int n, int* restrict a, const int* restrict b) {
  int s = 1;
  for (int i = 0; i < n; i++) {
    s = 3 * s + *b++;
    a[i] = s;
  }
  return s;
}
int now_and_then(int n, int* restrict a, const int* restrict b) {
  int s = 1, k = 0;
  for (int i = 0; i < n; i++) {
    s += b[k];
    a[i] = s;
    if (b[i] > 3) k++;
  }
  return s + k;
}
int skipping(int n, int* restrict a, const int* restrict b) {
  int s = 1, k = 0;
  for (int i = 0; i < n; i++) {
    if (b[i] > 3) continue;
    s += b[k];
    a[i] = s;
    k++;
  }
  return s + k;
}
unsigned comes_round(int n, int* restrict a, const int* restrict b) {
  int s = 1;
  unsigned char k = 250;
  for (int i = 0; i < n; i++) {
    s += b[k];
    a[i] = s;
    k++;
  }
  return s + k;
}
int of_all_calls(int n, int* restrict a, const int* restrict b) {
  static int k;
  int s = 0;
  for (int i = 0; i < n; i++) {
    s += b[k];
    a[i] = s;
    k++;
  }
  return s + k;
}
int another_k(int n, int* restrict a, const int* restrict b) {
  int s = 0, k = 0;
  for (int i = 0; i < n; i++) {
    s += b[k];
    {
      int k = 7;
      a[i] = s + k;
    }
    k++;
  }
  return s + k;
}
int stepped_inside(int n, int* restrict a, const int* restrict b) {
  int s = 0, k = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 3; j++) s += b[k++];
    a[i] = s;
  }
  return s + k;
}
