// Loops that count in their bodies: the step first or last, the test by break, do, and != with other steps than 1.
#include <stddef.h>

int step_first(int n, int *restrict a, const int *restrict b) {
  int i = 0;
  while (i < n) {
    i++;
    a[i - 1] = b[i - 1] + i;
  }
  return i;
}
int step_first_by_three(int n, int *restrict a) {
  int i = -3;
  while (i < n) {
    i += 3;
    a[i] = i;
  }
  return i;
}
void step_first_down(size_t n, int *restrict a, const int *restrict b) {
  size_t i = n;
  while (i > 0) {
    --i;
    a[i] = b[i];
  }
}
int break_first(int n, int *restrict a) {
  int i = 0;
  while (1) {
    if (i >= n) break;
    a[i] = i;
    i++;
  }
  return i;
}
void break_first_in_for(int n, int m, int *restrict a) {
  for (int i = 0;; i++) {
    if (i >= n || i > m) {
      break;
    }
    a[i] = i;
  }
}
int break_then_step(int n, int *restrict a) {
  int i = 0;
  for (;;) {
    if (i == n) break;
    i++;
    if (i == 3) continue;
    a[i - 1] = i;
  }
  return i;
}
int break_last(int n, int *restrict a) {
  int i = 0;
  while (1) {
    a[i] = i;
    i++;
    if (!(i < n)) break;
  }
  return i;
}
int do_while(int n, int *restrict a) {
  int i = 0;
  do {
    a[i] = i;
    i++;
  } while (i < n);
  return i;
}
// The first iteration runs whatever n is.
void do_shift(int n, int *a) {
  int i = 0;
  do {
    a[i] = a[n + 5];
    i++;
  } while (i < n);
}
void do_sums(int n, int *a) {
  int i = 1;
  do {
    a[i] = a[i - 1] + a[i];
    i++;
  } while (i < n);
}
void no_head(int n, int *restrict a) {
  int i = 0;
  for (; i < n;) {
    a[i] = 2 * i;
    i += 2;
  }
}
void in_the_statement(int n, int *restrict a) {
  int i = 0;
  while (i < n) a[i++] = 1;
}
void through_pointers(int n, int *restrict a) {
  int *p = a;
  while (p < a + n) *p++ = 1;
}
void signed_by_two(int n, int *restrict a) {
  for (int i = 0; i != n; i += 2) a[i] = i;
}
void pairs(unsigned n, int *restrict a) {
  for (size_t i = 0; i != 2 * (size_t)n; i += 2) a[i] = a[i + 1];
}
void unsigned_by_three(size_t n, int *restrict a) {
  for (size_t i = 0; i != n; i += 3) a[i] = 1;
}
void pointers_by_two(int n, double *restrict a) {
  for (double *p = a; p != a + 2 * n; p += 2) *p = p[1];
}
// Not counted.
void test_between(int n, int *restrict a) {
  int i = 0;
  while (1) {
    a[i] = 1;
    if (i >= n) break;
    a[i + 1] = 2;
    i++;
  }
}
void past_the_step(int n, int *restrict a) {
  int i = 0;
  while (i < n) {
    if (a[i] > 3) continue;
    a[i] = i;
    i++;
  }
}
void stepped_and_seen(int n, int *restrict a) {
  int k = 0;
  for (int i = 0; i < n; i++, k = i) a[k] = i;
}
void may_come_round(unsigned n, int *restrict a) {
  unsigned i = 0;
  while (i < n) {
    i += 2;
    a[i] = 1;
  }
}
void row_ends(int n, const unsigned *restrict end, int (*restrict a)[100]) {
  for (int i = 0; i < n; i++) {
    for (unsigned j = 0; j != end[i]; j += 2) a[i][j] = 1;
  }
}
