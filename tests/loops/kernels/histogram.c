// Counts, and sums of weights, by bin.
void counts(int n, int *restrict count, const int *restrict bin) {
  for (int i = 0; i < n; i++) count[bin[i]]++;
}

void weights(int n, double *restrict sum, const int *restrict bin, const double *restrict weight) {
  for (int i = 0; i < n; i++) sum[bin[i]] += weight[i];
}
