// The values that are kept, in order; how many.
int pack(int n, double *restrict out, const double *restrict in, const int *restrict keep) {
  int next = 0;
  for (int i = 0; i < n; i++)
    if (keep[i]) out[next++] = in[i];
  return next;
}

void unpack(int n, double *restrict out, const double *restrict in, const int *restrict place) {
  for (int i = 0; i < n; i++) out[place[i]] = in[i];
}
