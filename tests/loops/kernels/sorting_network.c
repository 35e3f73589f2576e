// Odd-even transposition sort: each round compares disjoint neighbours.
void odd_even_sort(int n, int *a) {
  for (int round = 0; round < n; round++)
    for (int i = round % 2; i + 1 < n; i += 2)
      if (a[i] > a[i + 1]) {
        int t = a[i];
        a[i] = a[i + 1];
        a[i + 1] = t;
      }
}

// One stage of Batcher's bitonic network, with half pairs `h` apart.
void bitonic_stage(int blocks, int h, int *a) {
  for (int b = 0; b < blocks; b++)
    for (int k = 0; k < h; k++) {
      int low = a[b * 2 * h + k], high = a[b * 2 * h + h + k];
      a[b * 2 * h + k] = low < high ? low : high;
      a[b * 2 * h + h + k] = low < high ? high : low;
    }
}
