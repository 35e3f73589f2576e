#include "lda/visualization/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace papilio::lda {
namespace {

using Row = std::vector<double>;

double dot(const Row& a, const Row& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// Gershgorin's bound c, and a little more: all eigenvalues of A + c I are positive, unless A is 0.
double shift_of(const std::vector<double>& matrix, std::size_t n) {
  double shift = 0;
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double others = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double size = std::abs(matrix[i * n + j]);
      largest = std::max(largest, size);
      others += j == i ? 0 : size;
    }
    shift = std::max(shift, others - matrix[i * n + i]);
  }
  return shift + largest / 64;
}

// Rotates two rows so that they become orthogonal; false if they already are.
bool rotate(Row& a, Row& b) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double aa = dot(a, a), bb = dot(b, b), ab = dot(a, b);
  if (std::abs(ab) <= epsilon * std::sqrt(aa * bb)) return false;
  const double zeta = (bb - aa) / (2 * ab);
  const double tangent = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  const double cosine = 1 / std::sqrt(1 + tangent * tangent);
  const double sine = cosine * tangent;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double old = a[i];
    a[i] = cosine * old - sine * b[i];
    b[i] = sine * old + cosine * b[i];
  }
  return true;
}

}  // namespace

Eigen eigen_of_symmetric(const std::vector<double>& matrix, std::size_t n) {
  constexpr int most_passes = 60;  // it takes about ten
  const double shift = shift_of(matrix, n);
  std::vector<Row> rows(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(i * n);
    rows[i].assign(begin, begin + static_cast<std::ptrdiff_t>(n));
    rows[i][i] += shift;
  }
  bool turned = true;
  for (int pass = 0; pass < most_passes && turned; ++pass) {
    turned = false;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) turned = rotate(rows[i], rows[j]) || turned;
    }
  }
  // The rows are now eigenvectors whose lengths are their eigenvalues.
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < n; ++i) order.emplace_back(-std::sqrt(dot(rows[i], rows[i])), i);
  std::sort(order.begin(), order.end());
  Eigen eigen;
  for (const auto& [negative_length, i] : order) {
    eigen.values.push_back(-negative_length - shift);
    for (double& value : rows[i]) value /= negative_length < 0 ? -negative_length : 1;
    eigen.vectors.push_back(std::move(rows[i]));
  }
  return eigen;
}

}  // namespace papilio::lda
