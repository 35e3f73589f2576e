// A variable that grows in both branches of an iteration, and in a loop of one of them: no two iterations write one
// element.
int both_branches(int n, double *restrict a, const double *restrict b, const int *restrict count) {
  int civ = 0;
  for (int i = 0; i < n; i++) {
    if (b[i] > 0) {
      a[civ] = b[i];
      civ = civ + 1;
    } else {
      for (int j = 0; j < count[i]; j++) {
        a[civ] = b[i];
        civ = civ + 1;
      }
    }
  }
  return civ;
}

// Not so: what an iteration reads behind the variable's place is written by another one.
int reads_behind(int n, double *restrict a, const double *restrict b) {
  int civ = 1;
  for (int i = 0; i < n; i++)
    if (b[i] > 0) {
      a[civ] = a[civ - 1] + b[i];
      civ = civ + 1;
    }
  return civ;
}

// Nor if it may fall.
int falls(int n, double *restrict a, const double *restrict b) {
  int civ = 0;
  for (int i = 0; i < n; i++) {
    a[civ] = b[i];
    if (b[i] > 0)
      civ = civ + 1;
    else
      civ = civ - 1;
  }
  return civ;
}
