#pragma once

#include <cstddef>
#include <vector>

namespace papilio::lda {

// -1/2 H S H for n x n squared distances S, where H = I - 1 1'/n removes the means of rows and columns: the inner
// products from which classical scaling starts (Torgerson 1952).
inline std::vector<double> doubly_centred(const std::vector<double>& squares, std::size_t n) {
  std::vector<double> products(squares.size());
  std::vector<double> means(n);
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) means[i] += squares[i * n + j];
    means[i] /= static_cast<double>(n);
    mean += means[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) products[i * n + j] = -(squares[i * n + j] - means[i] - means[j] + mean) / 2;
  }
  return products;
}

}  // namespace papilio::lda
