#pragma once

#include <cstddef>
#include <cstdint>

// How the kernels of sample_by_slots_cuda.cuh are launched. Nothing here changes a draw.

namespace papilio::sampling::slots_launch {

// For all kernels, except those that say otherwise.
inline constexpr int block_threads = 128;

// Short rows. Each entry of this table is a kernel for rows of up to `categories` categories. `together` rows are
// loaded before the first is added up, and a multiprocessor should hold `blocks` blocks at once. Both were chosen by
// measurements, for stored weights of at most 2, of 4 and of 8 bytes. Products and rows that are not aligned are loaded
// one by one.
struct BatchLaunch {
  int categories;
  int together[3];
  int blocks[3];
  int blocks_of_products;  // of floats; 1 of doubles
};
inline constexpr BatchLaunch batches[] = {
    {16, {1, 1, 1}, {8, 1, 1}, 1},   {32, {1, 1, 1}, {8, 1, 1}, 1},  {64, {1, 1, 1}, {8, 1, 1}, 1},
    {128, {1, 1, 1}, {8, 1, 1}, 8},  {256, {8, 8, 4}, {1, 1, 1}, 7}, {512, {8, 8, 4}, {1, 1, 1}, 6},
    {1024, {4, 8, 2}, {1, 1, 1}, 5},
};

// The index of weights of `bytes` bytes in the arrays of the table.
constexpr int by_bytes(std::size_t bytes) { return bytes <= 2 ? 0 : bytes == 4 ? 1 : 2; }

constexpr const BatchLaunch& batch_launch(int categories) {
  int i = 0;
  while (batches[i].categories < categories) ++i;
  return batches[i];
}

// Calls f.operator()<the categories of its kernel>() for rows of up to 1,024 categories.
template <int i = 0, class F>
void with_batch(std::int64_t categories, F f) {
  if constexpr (i + 1 < sizeof(batches) / sizeof(batches[0]))
    if (categories > batches[i].categories) return with_batch<i + 1>(categories, f);
  f.template operator()<batches[i].categories>();
}

// Rows of a few segments: one block per `segment_rows` rows, with one warp per segment.
inline constexpr int segment_rows = 8;
inline constexpr std::int64_t most_segments_of_block = 8;
inline constexpr int segment_together[4] = {8, 4, 2, 1};  // for aligned rows without products; by bytes: 1, 2, 4, 8
inline constexpr int segment_blocks = 2;                  // blocks that a multiprocessor is to hold at once
inline constexpr std::int64_t least_segment_rows = 32;    // per multiprocessor: with fewer, a warp per row is busier

// Rows of any length: one warp per row.
inline constexpr int any_row_blocks = 4;  // blocks that a multiprocessor is to hold at once

// Rows of many segments are split among blocks of `add_threads`; then one warp searches each row, with several warps
// per block if there are many rows. The totals of a row fit into 48 KiB of shared memory: 3 million categories.
inline constexpr int add_threads = 256;
inline constexpr std::int64_t most_split_segments = 3072;
inline constexpr int most_search_threads = 128;

constexpr int search_threads(std::int64_t rows, std::int64_t segments) {
  return rows >= 256 && segments <= most_split_segments / 8 ? most_search_threads : 32;
}

}  // namespace papilio::sampling::slots_launch
