// Conditions that are tested before the loop, the cheapest first: of numbers, then of index arrays.
void shifted(int n, int m, double *a) {
  for (int i = 0; i < n; i++) a[i] = a[i + m];
}

void scatter(int n, double *restrict x, const int *restrict index) {
  for (int i = 0; i < n; i++) x[index[i]] = i;
}

void rows(int n, const int *restrict begin, double *restrict x) {
  for (int i = 0; i < n; i++)
    for (int k = begin[i]; k < begin[i + 1]; k++) x[k] = i + k;
}

void blocks(int n, int w, const int *restrict begin, double *restrict x) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < w; k++) x[begin[i] + k] = x[begin[i] + k] / 2 + k;
}

void two_sides(int n, int np, int ns, double *he) {
  for (int i = 0; i < ns; i++) he[i] = i;
  for (int i = 0; i < n; i++) he[ns + i] = he[8 * np - 6 + i] + 1;
}

// Which elements of the index array are read is not known, so they are not tested.
void unknown_reads(int n, double *restrict x, const int *restrict index, const double *restrict v) {
  for (int i = 0; i < n; i++)
    if (v[i] > 0) x[index[i]] = i;
}

// All the elements that are used are tested, not only those that the first branch reads.
double two_branches(int n, int m, double *restrict a, const double *restrict b, const int *restrict index) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    if (i < m) {
      sum += 1;
    } else {
      sum += a[index[i]];
    }
    a[index[i]] = b[i];
  }
  return sum;
}
