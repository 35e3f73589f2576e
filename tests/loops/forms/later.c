// What is read after a loop by something that is not followed: its last value counts.
struct point {
  int x, y;
};
void show(int);
void show_point(struct point);

void scalar(int n, int *restrict a, const int *restrict b) {
  int t;
  for (int i = 0; i < n; i++) {
    t = b[i];
    a[i] = t;
  }
  show(t);
}
int *counter(int n, int *restrict a, const int *restrict b) {
  int i;
  for (i = 0; i < n; i++) a[i] = b[i];
  return &a[i];
}
void array(int n, int *restrict a, const int *restrict b) {
  int t[4];
  for (int i = 0; i < n; i++) {
    t[0] = b[i];
    a[i] = t[0];
  }
  show(t[0]);
}
void field(int n, int *restrict a, const int *restrict b) {
  struct point t;
  for (int i = 0; i < n; i++) {
    t.x = b[i];
    a[i] = t.x;
  }
  show_point(t);
}
// The next iteration of the loop around reads it.
void around(int n, int *restrict a, const int *restrict b) {
  struct point t = {0, 0};
  for (int j = 0; j < n; j++) {
    show(t.x);
    for (int i = 0; i < n; i++) {
      t.x = b[i];
      a[i] = t.x;
    }
  }
}
void nobody(int n, int *restrict a, const int *restrict b) {
  int t;
  for (int i = 0; i < n; i++) {
    t = b[i];
    a[i] = t;
  }
  show(a[0]);
}
