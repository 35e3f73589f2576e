#pragma once

#include <cstdint>

#include "execution/cpu/simd_targets.h"

// What a user would otherwise take, and the roof: one function a row. `right` is
// null for plain rows, else the weights are left[k] * right[k]. `buffer` holds
// K values.
template <class T>
struct Rivals {
  // The roof: the sum of the weights, as fast as the row can be read.
  T (*sum)(const T* left, const T* right, std::int64_t K);
  // Sequential prefix sums and a binary search.
  std::int64_t (*prefix)(const T* left, const T* right, std::int64_t K, double u, T* buffer);
  // The exponential race (Gumbel's trick without the logarithm of the weights):
  // one random number per category; the smallest -log(u_k) / w_k wins.
  std::int64_t (*race)(const T* left, const T* right, std::int64_t K, std::uint64_t row, T* buffer);
  // The weights themselves, for rivals that want them in an array.
  void (*multiply)(const T* left, const T* right, std::int64_t K, T* buffer);
};

#define PAPILIO_DECLARE_RIVALS(target, runs) \
  namespace target {                         \
  extern const Rivals<float> rivals_float;   \
  extern const Rivals<double> rivals_double; \
  }
PAPILIO_SIMD_TARGETS(PAPILIO_DECLARE_RIVALS)
#undef PAPILIO_DECLARE_RIVALS
