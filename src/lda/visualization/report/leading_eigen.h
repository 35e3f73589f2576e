#pragma once

#include <cstddef>
#include <vector>

#include "lda/visualization/symmetric_eigen.h"

namespace papilio::lda {

// The `count` largest eigenvalues of a symmetric, positive semidefinite n x n matrix and their unit eigenvectors, by
// subspace iteration from fixed vectors, in time O(n^2) per step. At most 200 steps: eigenvectors may be mixed if their
// eigenvalues differ by less than about 5 %. The same result on every machine and for any number of threads.
Eigen leading_eigen(const std::vector<double>& matrix, std::size_t n, std::size_t count, int threads);

}  // namespace papilio::lda
