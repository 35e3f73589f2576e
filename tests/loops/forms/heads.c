// Heads of counted loops, in the forms that people write.
#include <stddef.h>

void beyond(int n, int *restrict a, const int *restrict b) {
  for (int i = 0; i + 1 < n; i++) a[i] = b[i] + b[i + 1];
}
void turned(int n, int *restrict a, const int *restrict b) {
  for (int i = 0; n > i; i++) a[i] = b[i];
}
void down(int n, int *restrict a, const int *restrict b) {
  for (int i = n; 0 < i; i -= 3) a[i] = b[i];
}
void down_in_the_condition(size_t n, int *restrict a, const int *restrict b) {
  for (size_t i = n; i-- > 0;) a[i] = b[i];
}
int while_down(int n, int *restrict a, const int *restrict b) {
  while (n-- > 0) a[n] = b[n] + n;
  return n;
}
unsigned until_zero(unsigned n, int *restrict a, const int *restrict b) {
  while (n--) a[n] = b[n];
  return n;
}
int while_up(int n, int *restrict a, const int *restrict b) {
  int i = 0;
  while (i++ < n) {
    const int t = b[i] * 2;
    a[i] = t + 1;
  }
  return i;
}
int both(int n, int m, int *restrict a, const int *restrict b) {
  int i;
  for (i = 0; i < n && i < m; ++i) a[i] = b[i];
  return i;
}
int last_of(int n, int *restrict a, const int *restrict b) {
  int last = 0;
  for (int i = 0; i + 2 < n; i++) {
    last = b[i];
    a[i] = last;
  }
  return last;
}
void sums(int n, int *a) {
  for (int i = 1; i + 1 < n + 1; i++) a[i] += a[i - 1];
}
void until_none(int n, int *restrict a, const int *restrict b) {
  for (int i = n; i; i--) a[i - 1] = b[i - 1];
}
int while_any(int n, int *restrict a, const int *restrict b) {
  while (n) {
    a[n - 1] = b[n - 1];
    n--;
  }
  return n;
}
