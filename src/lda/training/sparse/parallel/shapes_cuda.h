#pragma once

#include <cstdint>
#include <limits>

// The launch shapes of sparse draws, chosen by measurement. Nothing here changes a draw.

namespace papilio::lda {

// A block draws an item, of one word: a small one where the item has few tokens, else one of `threads`. With many
// topics a block has a large row to make.
struct SparseShape {
  std::int32_t topics;      // at most
  int threads;              // 128 or 512
  std::int32_t few_tokens;  // of an item for a small block
};
inline constexpr SparseShape sparse_shapes[] = {
    {.topics = 2048, .threads = 128, .few_tokens = 128},
    {.topics = 4096, .threads = 128, .few_tokens = 0},
    {.topics = std::numeric_limits<std::int32_t>::max(), .threads = 512, .few_tokens = 0},
};

inline constexpr int small_block_threads = 32;
inline constexpr int global_row_threads = 512;  // where rows of phi are in global memory, in blocks for many items
inline constexpr int global_row_blocks = 2;     // of them, per multiprocessor

// Threads and blocks that a multiprocessor is to hold at once: more of them with fewer registers each hide the latency
// of lists and searches better.
inline constexpr int threads_at_once = 1152;
inline constexpr int most_blocks_at_once = 32;

constexpr SparseShape sparse_shape(std::int32_t topics) {
  for (const SparseShape& shape : sparse_shapes) {
    if (topics <= shape.topics) return shape;
  }
  return {};  // never
}

}  // namespace papilio::lda
