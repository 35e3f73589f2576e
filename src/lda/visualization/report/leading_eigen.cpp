#include "lda/visualization/report/leading_eigen.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "execution/cpu/parallel_for.h"
#include "random/philox.h"
#include "random/uniform.h"

namespace papilio::lda {
namespace {

using Vector = std::vector<double>;
using Vectors = std::vector<Vector>;

constexpr std::size_t spare = 6;  // more vectors than are asked for: the more, the fewer steps
constexpr int most_steps = 200;
constexpr double exact_enough = 1e-12;  // relative change of an eigenvalue

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

Vectors first_vectors(std::size_t n, std::size_t count) {
  Vectors vectors(count, Vector(n));
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t i = 0; i < n; ++i) {
      const random::Block block = random::draw_block(0, v, i);
      vectors[v][i] = random::uniform53(block.word[0], block.word[1]) - 0.5;
    }
  }
  return vectors;
}

// Gram-Schmidt, applied twice, because vectors may be nearly parallel. A vector that vanishes becomes zero.
void orthonormalise(Vectors& vectors) {
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    const double before = std::sqrt(dot(vectors[v], vectors[v]));
    for (int time = 0; time < 2; ++time) {
      for (std::size_t u = 0; u < v; ++u) {
        const double along = dot(vectors[v], vectors[u]);
        for (std::size_t i = 0; i < vectors[v].size(); ++i) vectors[v][i] -= along * vectors[u][i];
      }
    }
    const double length = std::sqrt(dot(vectors[v], vectors[v]));
    const bool vanished = !(length > 1e-13 * before);
    for (double& x : vectors[v]) x = vanished ? 0 : x / length;
  }
}

Vectors times(const std::vector<double>& matrix, const Vectors& vectors, int threads) {
  const std::size_t n = vectors.front().size();
  Vectors products(vectors.size(), Vector(n));
  execution::parallel_for(static_cast<std::int64_t>(n), 32, threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const auto row = matrix.begin() + static_cast<std::ptrdiff_t>(i * n);
      for (std::size_t v = 0; v < vectors.size(); ++v) {
        products[v][i] = std::inner_product(vectors[v].begin(), vectors[v].end(), row, 0.0);
      }
    }
  });
  return products;
}

// The eigenvectors of the matrix in the space of the vectors, largest eigenvalue first (Rayleigh-Ritz).
Eigen within(const Vectors& vectors, const Vectors& products) {
  const std::size_t m = vectors.size();
  std::vector<double> small(m * m);
  for (std::size_t u = 0; u < m; ++u) {
    for (std::size_t v = 0; v <= u; ++v) small[u * m + v] = small[v * m + u] = dot(vectors[u], products[v]);
  }
  return eigen_of_symmetric(small, m);
}

Vectors combined(const Vectors& vectors, const Vectors& weights) {
  Vectors result(weights.size(), Vector(vectors.front().size()));
  for (std::size_t r = 0; r < weights.size(); ++r) {
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      for (std::size_t i = 0; i < result[r].size(); ++i) result[r][i] += weights[r][v] * vectors[v][i];
    }
  }
  return result;
}

}  // namespace

Eigen leading_eigen(const std::vector<double>& matrix, std::size_t n, std::size_t count, int threads) {
  count = std::min(count, n);
  Vectors vectors = first_vectors(n, std::min(n, count + spare));
  orthonormalise(vectors);
  Eigen eigen;
  for (int step = 0; step < most_steps; ++step) {
    const Vectors products = times(matrix, vectors, threads);
    Eigen found = within(vectors, products);
    bool settled = !eigen.values.empty();
    for (std::size_t e = 0; settled && e < count; ++e) {
      settled = std::abs(found.values[e] - eigen.values[e]) <= exact_enough * std::abs(found.values.front());
    }
    eigen = {found.values, combined(vectors, found.vectors)};
    if (settled) break;
    vectors = combined(products, found.vectors);
    orthonormalise(vectors);
  }
  eigen.values.resize(count);
  eigen.vectors.resize(count);
  return eigen;
}

}  // namespace papilio::lda
