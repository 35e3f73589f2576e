// What the first pass of a scan needs: members of structs that the loop writes, and subscripts that it makes.
struct point {
  int x, y;
};
int of_its_own(int n, int *restrict a, const int *restrict b) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    struct point t;
    t.x = b[i];
    s += t.x;
    a[i] = s;
  }
  return s;
}
int of_elements(int n, int *restrict a, const int *restrict b, struct point *restrict p) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    p[i].x = b[i];
    s += p[i].x;
    a[i] = s;
  }
  return s;
}
int other_member(int n, int *restrict a, const int *restrict b, struct point *restrict p) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    p[i].y = b[i];
    s += p[i].x;
    a[i] = s;
  }
  return s;
}
int whole(int n, int *restrict a, const struct point *restrict p) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    const struct point t = p[i];
    s += t.x;
    a[i] = s + t.y;
  }
  return s;
}
int subscript(int n, int *restrict a, const int *restrict b) {
  int t = 5;
  for (int i = 1; i < n; i++) {
    t = i - 1;
    a[i] = a[t] + b[i];
  }
  return t;
}
int subscript_of_its_own(int n, int *restrict a, const int *restrict b) {
  for (int i = 1; i < n; i++) {
    const int t = i - 1;
    a[i] = a[t] + b[i];
  }
  return a[2];
}
