#pragma once

#include <cstddef>
#include <vector>

namespace papilio::lda {

// Eigenvalues of a symmetric matrix, largest first, and unit eigenvectors (for the zero matrix: zeros).
struct Eigen {
  std::vector<double> values;                // n
  std::vector<std::vector<double>> vectors;  // n rows of n
};

// All eigenvalues, by one-sided Jacobi rotations (Hestenes) of the rows of A + c I, with c so large that none is
// negative. `matrix` is n x n, row-major. Time O(n^3) per pass over all pairs of rows, about ten passes; the same
// result on every machine with IEEE arithmetic.
Eigen eigen_of_symmetric(const std::vector<double>& matrix, std::size_t n);

}  // namespace papilio::lda
