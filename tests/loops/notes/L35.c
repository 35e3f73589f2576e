// Elements that an index array chooses: written by more than one iteration, as far as is known.
void scatter(int n, double *restrict x, const int *restrict index) {
  for (int i = 0; i < n; i++) x[index[i]] = i;
}
