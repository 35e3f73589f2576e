#pragma once

#include <cstdint>
#include <limits>

#include "primitives/exact_sum.h"

// Exact sums of floats, compiled for each instruction-set target, as a table of functions.

namespace papilio::primitives {

// Segments of values: segment s holds values[offsets[s]] ... values[offsets[s + 1] - 1].
template <class T>
struct Segments {
  const T* values;
  const std::int64_t* offsets;
  std::int64_t count;
  T* sums;
};

// The values that a scan processes at once, in separate arrays.
inline constexpr int block_size = 1024;

template <class T>
struct ScanBlock {
  const T* values;
  const std::uint8_t* starts;  // per value: not 0 where a segment begins; null: nowhere
  T* out;                      // may be values
  int count;                   // at most block_size
  bool exclusive;
};

// What is known of some values: the bits (exact_sum.h) of the largest finite magnitude, the least place of a last bit
// (fixed_grid.h), a large number where all are 0, and whether infinities or NaN occur.
struct Magnitudes {
  std::int64_t largest = 0;
  int last_place = std::numeric_limits<int>::max();
  bool special = false;
};

template <class T>
struct ExactSums {
  // The sum of each segment, rounded once.
  void (*sum_segments)(const Segments<T>& segments);
  // Adds `count` values to a sum.
  void (*add)(const T* values, std::int64_t count, LongSum<T>& sum);
  // The running sums of a block, each rounded once. `sum` is that of the values of the segment before the block; it
  // becomes that of the last segment's.
  void (*scan)(const ScanBlock<T>& block, LongSum<T>& sum);
  Magnitudes (*magnitudes)(const T* values, std::int64_t count);
  // Values in units of a place, as to_grid (fixed_grid.h) gives them, and 0 for those that are not finite: in 64 bits
  // where they are whole numbers of units that fit, or in 128, cut in two.
  void (*fixed_64)(const T* values, int count, int place, std::int64_t* fixed);
  void (*fixed_128)(const T* values, int count, int place, std::uint64_t* low, std::int64_t* high);
};

struct Kernels {
  ExactSums<float> of_float;
  ExactSums<double> of_double;
};

// The kernels of the target in use (papilio::cpu_target).
const Kernels& kernels_in_use();

template <class T>
const ExactSums<T>& exact_sums() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return kernels_in_use().of_float;
  } else {
    return kernels_in_use().of_double;
  }
}

}  // namespace papilio::primitives
