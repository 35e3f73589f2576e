// Steps in tests and within statements that do more.
#include <stddef.h>

int in_the_element(int n, int *restrict a, const int *restrict b) {
  int i = 0, j = 1;
  while (i < n) a[i++] = b[j++];
  return i + j;
}
int step_is_first(int n, int *restrict a) {
  int i = 0;
  while (i < n) a[++i] = 3;
  return i;
}
int then_others(int n, int *restrict a, const int *restrict b) {
  int i = 0, k = 3;
  while (i < n) {
    const int t = 2 * b[i++];
    a[k] = t;
    k += 2;
  }
  return i + k;
}
int by_comma(int n, int *restrict a) {
  int i = 0, k = 5;
  while (i < n) {
    a[k] = i;
    k++, i += 2;
  }
  return i + k;
}
int comma_first(int n, int *restrict a) {
  int i = 0, k = 5;
  while (i < n) {
    a[k] = i;
    i++, k--;
  }
  return i + k;
}
int sum(int n, const int *restrict b) {
  int i = 0, s = 0;
  while (i < n) s += b[i++];
  return s;
}
void overlap(int n, int *a, const int *b) {
  int i = 0;
  while (i < n) a[i++] = b[n];
}
int prefix(int n, int *restrict a) {
  int i = -1;
  while (++i < n) a[i] = i;
  return i;
}
int prefix_skips(int n, int *restrict a, const int *restrict b) {
  int i = 2;
  while (++i <= n) {
    if (b[i] < 3) continue;
    a[i] = i;
  }
  return i;
}
int prefix_down(int n, int *restrict a) {
  while (--n > 0) a[n] = n;
  return n;
}
void prefix_comes_round(size_t n, int *restrict a, const int *restrict b) {
  size_t i = -1;
  while (++i < n) a[i] = b[i];
}
int prefix_turned(int n, int *restrict a) {
  int i = 3;
  while (n > ++i) a[i] = i;
  return i;
}
void prefix_in_for(int n, int *restrict a) {
  for (int i = -1; ++i < n;) a[i] = 2;
}
int prefix_small(int n, int *restrict a) {
  signed char i = 0;
  while (++i < n) a[i] = 1;
  return i;
}
int prefix_of_do(int n, int *restrict a, const int *restrict b) {
  int i = 0;
  do {
    if (b[i] < 3) continue;
    a[i] = 7;
  } while (++i < n);
  return i;
}
unsigned down_of_do(unsigned n, int *restrict a) {
  do a[n] = 4;
  while (--n);
  return n;
}
void in_a_nest(int n, int m, int (*restrict a)[100]) {
  for (int j = 0; j < n; j++) {
    int i = -1;
    while (++i < m) a[j][i] = j;
  }
}
void within_a_loop(int times, int n, int (*restrict a)[100]) {
  for (int t = 1; t < times; t++) {
    int i = 0;
    while (i < n) a[t][i++] = a[t - 1][5] + 1;
  }
}
// Scans.
int running(int n, int *restrict a, const int *restrict b) {
  int i = 0, s = 0;
  while (i < n) {
    s += b[i];
    a[i++] = s;
  }
  return s;
}
int running_prefix(int n, int *restrict a, const int *restrict b) {
  int i = -1, s = 0;
  while (++i < n) {
    s = 3 * s + b[i];
    a[i] = s;
  }
  return s + i;
}
int pairs(int n, int *restrict out) {
  int i = 0, a = 0, b = 1;
  do {
    out[i] = a;
    const int next = a + b;
    a = b;
    b = next;
  } while (++i < n);
  return a;
}
int kept(int n, int *restrict out, const int *restrict in) {
  int i = -1, next = 0;
  while (++i < n)
    if (in[i] > 3) out[next++] = in[i];
  return next;
}
// By pointers.
int *fill(int n, int *restrict a) {
  int *p = a;
  while (p < a + n) *p++ = 1;
  return p;
}
int *fill_after(int n, int *restrict a) {
  int *p = a;
  while (p < a + n) *++p = 1;
  return p;
}
void fill_subscript(int n, int *restrict a) {
  int *p = a;
  while (p < a + n) {
    p++[0] = 1;
  }
}
int *copy(int n, int *restrict a, const int *restrict b) {
  int *to = a;
  const int *from = b;
  while (to != a + n) *to++ = *from++;
  return to;
}
void copy_counted(int n, int *restrict a, const int *restrict b) {
  while (n--) *a++ = *b++;
}
int *pointer_test(int n, int *restrict a) {
  int *p = a;
  while (++p < a + n) *p = 6;
  return p;
}
int *pointer_do(int n, int *restrict a) {
  int *p = a + n;
  do *p = 6;
  while (--p > a);
  return p;
}
int *pointer_sums(int n, int *restrict a, const int *restrict b) {
  const int *q = b;
  int *p = a, s = 0;
  while (p < a + n) {
    s += *q++;
    *p++ = s;
  }
  return p;
}
// Left as they are: a macro, parentheses, another step in the test, one that later statements need. (Then do, whose test
// steps after its comparison.)
#define NEXT(a) a[i++]
void macro(int n, int *restrict a) {
  int i = 0;
  while (i < n) NEXT(a) = 1;
}
void parentheses(int n, int *restrict a) {
  int i = 0;
  while (i < n) a[(i)++] = 1;
}
void two_in_the_test(int n, int *restrict a) {
  int i = 0, j = 0;
  while (++i < n - j++) a[i] = 1;
}
void used_later(int n, int *restrict a, const int *restrict b) {
  int i = 0;
  while (i < n) {
    const int t = b[i++];
    a[i] = t;
  }
}
void until_none(int n, int *restrict a) {
  do a[n] = 1;
  while (n--);
}
int tested_after(int n, int *restrict a) {
  int i = 3;
  do {
    if (i == 5) continue;
    a[i] = i;
  } while (i++ < n);
  return i;
}
unsigned tested_down(unsigned n, int *restrict a, const int *restrict b) {
  do a[n] = b[n] + 1;
  while (n-- > 0);
  return n;
}
int *tested_pointer(int n, int *restrict a) {
  int *p = a;
  do *p = 8;
  while (p++ < a + n);
  return p;
}
int sums_after(int n, int *restrict a, const int *restrict b) {
  int i = 0, s = 0;
  do {
    s = 3 * s + b[i];
    a[i] = s;
  } while (i++ < n);
  return i + s;
}
void length(int n, int *restrict a) {
  int i = 1;
  while (i < n) {
    i++;
    int t[i];
    t[0] = 5;
    a[0] = a[0] + t[0];
  }
}
