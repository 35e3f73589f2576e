// Loops by `do` whose test steps: the body runs once more than the test is true, and unsigned variables come round.
#include <stddef.h>

int until_none(int n, int *restrict a) {
  do a[n] = 1;
  while (n--);
  return n;
}
unsigned until_none_unsigned(unsigned n, int *restrict a, const int *restrict b) {
  do {
    if (b[n] == 3) continue;
    a[n] = b[n] + n;
  } while (n--);
  return n;
}
size_t until_none_wide(size_t n, int *restrict a) {
  do a[n] = 5;
  while (n-- != 0);
  return n + 1;
}
int until(int n, int m, int *restrict a) {
  do a[n] = 2;
  while (m != n--);
  return n;
}
unsigned up_to(unsigned m, unsigned n, int *restrict a) {
  unsigned i = m;
  do a[i] = 3;
  while (i++ != n);
  return i;
}
unsigned down(unsigned n, int *restrict a) {
  do a[n] = 4;
  while (--n);
  return n;
}
unsigned down_above(unsigned n, unsigned m, int *restrict a, const int *restrict b) {
  do a[n] = b[n];
  while (--n > m);
  return n;
}
int filled(int n, int *restrict a) {
  int *p = a;
  do *p++ = 7;
  while (--n > 0);
  return p - a + n;
}
unsigned copied(unsigned n, int *restrict a, const int *restrict b) {
  do *a++ = *b++;
  while (n--);
  return n;
}
int *by_pointer(int n, int *restrict a) {
  int *p = a + n;
  do *p = 8;
  while (p-- != a);
  return p;
}
int with_inductions(int n, int *restrict a, int *restrict b) {
  int k = 3, m = 2 * n;
  do {
    a[k] = n;
    b[m] = k;
    k += 3;
    m -= 2;
  } while (n--);
  return k + m + n;
}
unsigned total(unsigned n, const unsigned *restrict b) {
  unsigned s = 1;
  do s += 3 * b[n];
  while (n--);
  return s;
}
int running(int n, int *restrict a, const int *restrict b) {
  int s = 0;
  do {
    s = 2 * s + b[n];
    a[n] = s;
  } while (n--);
  return s + n;
}
int from_the_one_after(int n, int *restrict a) {
  do a[n] = a[n + 1] + 1;
  while (n--);
  return n;
}
int last(int n, int *restrict a, const int *restrict b) {
  int t;
  do {
    t = b[n] + 1;
    a[n] = t;
  } while (n--);
  return t;
}
void in_a_nest(int n, int m, int (*restrict a)[100]) {
  for (int j = 0; j < n; j++) {
    int i = m;
    do a[j][i] = i;
    while (i--);
  }
}
void may_overlap(int n, int *a, const int *b) {
  do a[n] = b[n] + 1;
  while (n--);
}
// The value from before counts for the condition, and none that is set just before the loop does.
int far(unsigned n, unsigned m, int *restrict a) {
  do a[n] = a[n + m] + 1;
  while (n--);
  return n;
}
unsigned stepped_before(unsigned n, int *restrict a) {
  n -= 2;
  do a[n] = 4;
  while (--n);
  return n;
}
unsigned of_another(unsigned m, int *restrict a) {
  unsigned n = m;
  m = 5;
  do a[n] = 4;
  while (--n);
  return m + n;
}
// Left as they are: the step may be left out, the variable may come round or is not the loop's alone.
int left_out(int n, int x, int *restrict a) {
  do a[n] = 1;
  while (x > 3 && n--);
  return n;
}
int left_out_before(int n, int x, int *restrict a) {
  do a[n] = 1;
  while (x > 3 && --n > 0);
  return n;
}
int short_circuit(int n, int x, int *restrict a) {
  do a[n] = 1;
  while (n-- && x > 3);
  return n;
}
int narrow(int m, int *restrict a) {
  unsigned char n = m;
  do a[n] = 1;
  while (n--);
  return n;
}
int changing(int m, int *restrict a) {
  volatile int n = m;
  do a[n] = 1;
  while (n--);
  return n;
}
int stepped_twice(int n, int *restrict a) {
  do a[n--] = 1;
  while (n--);
  return n;
}
int set_again(int n, int *restrict a) {
  do {
    a[n] = 1;
    if (a[n + 1] > 90) n = 1;
  } while (n--);
  return n;
}
int moving_end(int n, int *restrict a) {
  int m = 0;
  do {
    a[n] = 1;
    if (a[n + 1] > 900) m++;
  } while (n-- != m);
  return n;
}
int at_most(unsigned n, int *restrict a) {
  unsigned i = 0;
  do a[i] = 1;
  while (i++ <= n);
  return i;
}
