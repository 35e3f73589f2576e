#include "workload.h"

#include <algorithm>
#include <cmath>

namespace {

std::uint64_t mix(std::uint64_t x) {  // SplitMix64's finaliser
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}
double uniform(std::uint64_t x) { return static_cast<double>(mix(x) >> 11) * 0x1p-53; }

// Many small weights and a few large ones, as topics have.
template <class T>
std::vector<T> weights(std::size_t count, std::uint64_t seed) {
  std::vector<T> w(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double u = uniform(seed + i);
    w[i] = static_cast<T>(u * u * u + 1e-6);
  }
  return w;
}

}  // namespace

template <class T>
Workload<T> dense_rows(std::int64_t K) {
  Workload<T> work;
  work.K = K;
  work.rows = (std::int64_t{128} << 20) / (K * static_cast<std::int64_t>(sizeof(T)));
  work.left = weights<T>(static_cast<std::size_t>(work.rows * K), 1);
  return work;
}

template <class T>
Workload<T> theta_phi(std::int64_t K) {
  constexpr std::int32_t words = 37286;
  constexpr std::int64_t length = 70;
  Workload<T> work;
  work.K = K;
  work.rows = std::clamp<std::int64_t>((std::int64_t{1} << 27) / K, 32768, 400000);
  const std::int64_t documents = work.rows / length + 1;
  work.left = weights<T>(static_cast<std::size_t>(documents * K), 2);
  work.right = weights<T>(static_cast<std::size_t>(words * K), 3);

  std::vector<double> cdf(words);
  std::vector<std::int32_t> word(words);
  double sum = 0;
  for (std::size_t i = 0; i < words; ++i) {
    cdf[i] = sum += std::pow(static_cast<double>(i) + 100, -1.07);
    word[i] = static_cast<std::int32_t>(i);
  }
  for (std::size_t i = words - 1; i > 0; --i) std::swap(word[i], word[mix(i) % (i + 1)]);
  for (std::int64_t i = 0; i < work.rows; ++i) {
    const double u = uniform(static_cast<std::uint64_t>(i) + (std::uint64_t{4} << 40)) * sum;
    const auto rank = std::lower_bound(cdf.begin(), cdf.end() - 1, u) - cdf.begin();
    work.right_rows.push_back(word[static_cast<std::size_t>(rank)]);
    work.left_rows.push_back(static_cast<std::int32_t>(i / length));
  }
  return work;
}

template Workload<float> dense_rows(std::int64_t K);
template Workload<double> dense_rows(std::int64_t K);
template Workload<float> theta_phi(std::int64_t K);
template Workload<double> theta_phi(std::int64_t K);
