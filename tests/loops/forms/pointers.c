// Pointers that move through one array.
#include <stddef.h>

void less(int n, int *restrict a) {
  for (int *p = a; p < a + n; p++) *p = 1;
}
void not_equal(size_t n, double *restrict a) {
  for (double *p = a; p != a + n; ++p) *p *= 2;
}
void by_two(int n, int *restrict a) {
  for (int *p = a; p < a + n; p += 2) p[1] = p[0];
}
void down(int n, int *restrict a) {
  for (int *p = a + n - 1; p >= a; p--) *p = 3;
}
void to_an_end(int n, int *restrict a, const int *restrict b) {
  const int *const end = b + n;
  for (const int *q = b; q < end; q++) a[q - b] = *q + q[1];
}
void two(int n, int *restrict a, const int *restrict b) {
  const int *q = b;
  for (int *p = a; p < a + n; p++, q++) *p = *q;
}
void may_overlap(int n, int *a, const int *b) {
  for (int *p = a; p < a + n; p++) *p = b[p - a];
}
void neighbours(int n, int *a) {
  for (int *p = a + 1; p < a + n; p++) *p = p[-1] * 2 - p[-1];
}
void sums(int n, int *a) {
  for (int *p = a + 1; p < a + n; p++) *p += p[-1];
}
int total(int n, const int *a) {
  int s = 0;
  for (const int *p = a; p < a + n; p++) s += *p;
  return s;
}
int *last(int n, int *restrict a) {
  int *p;
  for (p = a; p < a + n; p++) *p = 0;
  return p;
}
void copied(int n, int *restrict to, const int *restrict from) {
  while (n-- > 0) *to++ = *from++;
}
void counted(int n, int *restrict to, const int *restrict from) {
  for (int i = 0; i < n; i++) *to++ = *from++ + i;
}
int packed(int n, int *restrict to, const int *restrict from) {
  int *out = to;
  for (int i = 0; i < n; i++) {
    if (from[i] > 0) *out++ = from[i];
  }
  return out - to;
}
void rows(int n, int m, int *restrict a) {
  int *row = a;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) row[j] = i;
    row += m;
  }
}
void same_place(int n, int *restrict a, const int *restrict b) {
  int *p = a;
  for (int i = 0; i < n; i++) *p = b[i];
}
void while_less(int n, int *restrict a) {
  int *p = a;
  while (p < a + n) {
    *p = 7;
    p++;
  }
}
static void set(int n, int *row) {
  while (n-- > 0) *row++ = n;
}
void of_rows(int n, int m, int (*restrict a)[100]) {
  for (int i = 0; i < n; i++) set(100, a[i]);
}
struct vector {
  int n;
  double *x;
};
void of_struct(struct vector v, const double *restrict b) {
  const double *q = b;
  for (double *p = v.x; p != v.x + v.n; p++) *p = *q++;
}
// A clause of h would say nothing of what p leads to.
int by_another_name(int n, const unsigned *restrict b) {
  int h[10] = {0};
  int *const p = h;
  for (int i = 0; i < n; i++) p[b[i] % 10] += 1;
  return h[3];
}
// What is not followed, with its place.
void either(int n, int c, int *restrict a, int *restrict b) {
  int *p = a;
  if (c) p = b;
  for (int i = 0; i < n; i++) p[i] = 0;
}
void passed_on(int n, int *restrict a, void (*move)(int **)) {
  int *p = a;
  for (int i = 0; i < n; i++) {
    *p = i;
    move(&p);
  }
}
void changed_inside(int n, int *restrict a) {
  for (int *p = a; p < a + n; p++) {
    *p = 0;
    if (n > 5) p++;
  }
}
void lists(int n, int **restrict rows) {
  for (int i = 0; i < n; i++) {
    for (int *p = rows[i]; p < rows[i] + n; p++) *p = 0;
  }
}
