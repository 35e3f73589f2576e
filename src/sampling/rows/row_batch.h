#pragma once

#include <cstdint>

#include "papilio/sampling.h"

// The border between the drivers, which know where weights lie, and the kernels,
// which are compiled once a target. No library type crosses it.

namespace papilio::sampling {

// Rows of a batch as the kernels see them: contiguous weights, a pointer a row.
// Arrays have room for a whole last tile: `count` rounded up to `tile_rows`, the
// rows behind `count` with size 0.
template <class T>
struct RowBatch {
  std::int64_t count;
  const T* const* left;
  const T* const* right;  // null: plain weights, not products
  const std::int64_t* sizes;
  const std::uint64_t* ids;
  const std::uint64_t* seeds;  // null: all of them `seed`
  std::uint64_t seed;
  std::uint64_t stream;
  bool check_negative;
  PartialSums method;
  bool remnant_first;  // of the methods of the papers
  void* scratch;       // scratch_bytes() of the longest row, aligned to 64 bytes
};

// Rows a tile at most, on any target.
inline constexpr std::int64_t tile_rows = 32;

// A row of gamma draws; see sampling/gamma/gamma_rows.h.
struct GammaColumns {
  const std::int32_t* counts;  // null: all 0
  const float* shape;          // of the priors
  const float* inverse;        // gamma_inverse of the shapes below 1; null: to be worked out
  std::int64_t count;
  std::uint64_t seed;
  std::uint64_t stream;
  std::uint64_t row;
  float* drawn;
};

// What one instruction-set target offers.
struct Kernels {
  void (*draw_float)(const RowBatch<float>& batch, std::int64_t* drawn, DrawStatus* status);
  void (*draw_double)(const RowBatch<double>& batch, std::int64_t* drawn, DrawStatus* status);
  std::int64_t (*scratch_bytes)(PartialSums method, std::int64_t longest_row, std::int64_t weight_bytes);
  void (*draw_gamma)(const GammaColumns& columns);
  void (*weigh_logits)(float* row, std::int64_t count, float scale);  // in place; see logit_rows_kernel.h
};

}  // namespace papilio::sampling

namespace papilio::baseline {
extern const sampling::Kernels sampling_kernels;
}
namespace papilio::avx2 {
extern const sampling::Kernels sampling_kernels;
}
namespace papilio::avx512 {
extern const sampling::Kernels sampling_kernels;
}
namespace papilio::neon {
extern const sampling::Kernels sampling_kernels;
}
