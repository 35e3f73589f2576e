// A parallel loop may always be moved inwards: the strips of a matrix product.
void strips(int m, int n, int u, double (*restrict c)[100], double (*restrict a)[100], double (*restrict b)[100]) {
  for (int i = 0; i < m; i++)
    for (int jj = 0; jj < n; jj += 4)
      for (int k = 0; k < u; k++)
        c[i][jj] += a[i][k] * b[k][jj];
}
