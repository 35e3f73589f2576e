// Strips of 4 and of any length: the last one may be shorter, and the order of the iterations is the same.
void strips_of_4(int n, double *a) {
  for (int ii = 1; ii <= n; ii += 4)
    for (int i = ii; i < ii + 4 && i <= n; i++)
      a[i] = a[i] / 2;
}
