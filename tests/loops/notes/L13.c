// A scan that begins anew where a flag is set.
void segments(int n, int *restrict out, const int *restrict value, const int *restrict flag) {
  int acc = 0;
  for (int i = 0; i < n; i++) {
    if (flag[i]) acc = 0;
    acc += value[i];
    out[i] = acc;
  }
}
