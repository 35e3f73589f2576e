// Lengths of shortest paths. Row k and column k do not change in step k, but that is no matter of subscripts alone.
void floyd_warshall(int n, double d[200][200]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];
}
