// Cholesky decomposition of the lower triangle, in place.
#include <math.h>

void cholesky(int n, double a[200][200]) {
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < n; i++) a[i][j] -= a[i][k] * a[j][k];
    a[j][j] = sqrt(a[j][j]);
    for (int i = j + 1; i < n; i++) a[i][j] /= a[j][j];
  }
}
