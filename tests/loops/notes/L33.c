// Loops of a finite element program, after its routines geteu and matmul: each element of the mesh fills a part of xe,
// unless the problem is symmetric, and then computes with another part of it.
static void geteu(int sym, int np, double *xe, const double *u) {
  if (sym != 1)
    for (int i = 1; i <= np; i++)
      for (int j = 1; j <= 16; j++)
        xe[16 * (i - 1) + j - 1] = u[16 * (i - 1) + j - 1];
}

static void matmul(int ns, double *xe, const double *h) {
  for (int j = 1; j <= ns; j++) xe[j - 1] = xe[j - 1] * h[j - 1];
}

void on_its_own(int n, int sym, int np, int ns, const double *restrict u, const double *restrict h) {
  double xe[1000];
  for (int i = 0; i < n; i++) {
    geteu(sym, np, xe, u);
    matmul(ns, xe, h);
  }
}

void at_an_index(int n, int sym, int np, int ns, const int *restrict ia, double *restrict xe,
                 const double *restrict u, const double *restrict h) {
  for (int i = 0; i < n; i++) {
    geteu(sym, np, &xe[ia[i]], u);
    matmul(ns, &xe[ia[i]], h);
  }
}
