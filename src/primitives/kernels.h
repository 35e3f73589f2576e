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

// The values that a scan processes at a time, in separate arrays.
inline constexpr int block_size = 1024;

template <class T>
struct ScanBlock {
  const T* values;
  const std::uint8_t* starts;  // for each value: not 0 if a segment begins there; null: none begins
  T* out;                      // may be the same as values
  int count;                   // at most block_size
  bool exclusive;
};

// What is known of some values: the bits (exact_sum.h) of the largest finite magnitude; the least place of a
// last bit (fixed_grid.h), or a large number if all values are 0; and whether there are infinities or NaN.
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
  // The running sums of a block, each rounded once. Before the call, `sum` is the sum of
  // the current segment up to the block; after it, that of the last segment in the block.
  void (*scan)(const ScanBlock<T>& block, LongSum<T>& sum);
  Magnitudes (*magnitudes)(const T* values, std::int64_t count);
  // Values in units of a place, like to_grid (fixed_grid.h), with 0 for those that are not finite. fixed_64:
  // in 64 bits, for values that are whole numbers of units that fit. fixed_128: in 128 bits, as two halves.
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
