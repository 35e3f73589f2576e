// What is read after a loop by something that is not followed: its last value counts.
#include <strings.h>

struct point {
  int x, y;
};

int scalar(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    t = b[i];
    a[i] = t;
  }
  return ffs(t);
}
int *counter(int n, int *restrict a, const int *restrict b) {
  int i;
  for (i = 0; i < n; i++) a[i] = b[i];
  return &a[i];
}
int array(int n, int *restrict a, const int *restrict b) {
  int t[4] = {0};
  for (int i = 0; i < n; i++) {
    t[0] = b[i];
    a[i] = t[0];
  }
  return ffs(t[0]);
}
void field(int n, int *restrict a, const int *restrict b, void (*show)(struct point)) {
  struct point t;
  for (int i = 0; i < n; i++) {
    t.x = b[i];
    a[i] = t.x;
  }
  show(t);
}
// The next iteration of the loop around reads it.
void around(int n, int *restrict a, const int *restrict b) {
  struct point t = {0, 0};
  for (int j = 0; j < n; j++) {
    a[n] = ffs(t.x);
    for (int i = 0; i < n; i++) {
      t.x = b[i];
      a[i] = t.x;
    }
  }
}
int nobody(int n, int *restrict a, const int *restrict b) {
  int t;
  for (int i = 0; i < n; i++) {
    t = b[i];
    a[i] = t;
  }
  return ffs(n);
}
