#pragma once

#include <cstdint>

#include "papilio/sampling.h"

// The border between the drivers, which know where weights are, and the
// kernels, which are compiled once per target. No library type crosses it.

namespace papilio::sampling {

// Rows of a batch as the kernels see them: contiguous weights, one pointer
// per row. The arrays have room for a whole last tile: `count` is rounded
// up to a multiple of `tile_rows`, and the rows after `count` have size 0.
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
  bool remnant_first;            // of the methods of the papers
  void* scratch;                 // scratch_bytes() of the longest row, aligned to 64 bytes
  bool left_are_logits = false;  // slots only; the other methods take their weights
  T logit_scale = 0;             // see logit_rows.h
};

// The most rows per tile, on any target.
inline constexpr std::int64_t tile_rows = 32;

}  // namespace papilio::sampling
