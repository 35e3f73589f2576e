// Direction matrices of three nests: an update in place, two recurrences, and one along a diagonal.
void in_place(int n, double a[100][100]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j][i] = a[j][i] * 2;
}

void two_recurrences(int n, double (*restrict a)[100], double (*restrict b)[100]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++) {
      a[j][i] = a[j - 1][i];
      b[j][i] = b[j - 1][i - 1];
    }
}

void diagonal(int n, double a[100][101]) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = a[i - 1][j + 1] / 2;
}
