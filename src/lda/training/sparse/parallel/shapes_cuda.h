#pragma once

#include <cstdint>
#include <limits>

// The launch shapes of sparse draws, chosen by measurement. Nothing here changes a draw.

namespace papilio::lda {

// A block draws an item, of one word: a small one where the item has few tokens, else one of `threads`. With many
// topics a block has a large row to make, and a multiprocessor room for few blocks.
struct SparseShape {
  std::int32_t topics;  // at most
  int threads;          // 128 or 512
};
inline constexpr SparseShape sparse_shapes[] = {
    {.topics = 5376, .threads = 128},
    {.topics = std::numeric_limits<std::int32_t>::max(), .threads = 512},
};
inline constexpr std::int32_t few_tokens = 128;           // of an item for a small block
inline constexpr std::int32_t many_tokens_of_row = 1024;  // of an item for a block of 512 threads

// A row costs all topics: with many of them a word of few tokens, tokens_without_row at most, has none made, and costs
// its tokens, each of them more. Of these words one with few_tokens or fewer gets a small block, one with more than
// many_tokens 512 threads, the others 128.
inline constexpr std::int32_t topics_with_rows = 1024;
inline constexpr std::int32_t topics_per_token = 24;
inline constexpr std::int32_t most_without_row = 4096;
inline constexpr std::int32_t many_tokens = 512;

// With up to topics_with_rows topics, words of at most this many tokens, and of at most half as many and so on, have
// their counts in tables of bytes, which are a quarter of a row and need not be made.
inline constexpr std::int32_t most_tokens_in_table = 32;

// Fewer such words would not fill a device, and have rows.
inline constexpr std::int64_t least_words_in_tables = 8192;

// Up to this many topics a block gathers the changes of a frequent word's counts.
inline constexpr std::int32_t topics_with_changes = 2048;

// A document is long where blocks may draw by pair: worth it if long documents have at least a long_share-th of all
// tokens, and for a block with at least least_of_pair tokens of one word in one document.
inline constexpr std::int64_t long_document = 16384;
inline constexpr std::int64_t long_share = 4;
inline constexpr int least_of_pair = 8;

// Documents with more tokens are counted by several blocks, slice_tokens each, before their lists are made.
constexpr std::int64_t most_tokens_per_block(std::int32_t topics) {
  return topics * std::int64_t{8} > 65536 ? topics * std::int64_t{8} : 65536;
}
inline constexpr std::int32_t slice_tokens = 16384;

inline constexpr int small_block_threads = 32;
inline constexpr int global_row_threads = 512;  // where rows of phi are in global memory, in blocks for many items
inline constexpr int global_row_blocks = 2;     // of them, per multiprocessor

// Threads and blocks that a multiprocessor is to hold at once: more of them with fewer registers each hide the latency
// of lists and searches better.
inline constexpr int threads_at_once = 1024;
inline constexpr int most_blocks_at_once = 32;

constexpr std::int32_t tokens_without_row(std::int32_t topics) {
  const std::int32_t tokens = (topics - topics_with_rows) / topics_per_token;
  return tokens < 0 ? 0 : tokens < most_without_row ? tokens : most_without_row;
}

// With this many tokens, larger parts of frequent words are enough for all multiprocessors.
inline constexpr std::int64_t many_tokens_of_corpus = std::int64_t{1} << 23;

// Of a frequent word, that a block draws: the more topics, the more its row costs.
constexpr std::int32_t tokens_of_part(std::int32_t topics, std::int64_t tokens = 0) {
  if (topics >= 2048) return topics / 2;
  return tokens < many_tokens_of_corpus ? 1024 : 2048;
}

constexpr SparseShape sparse_shape(std::int32_t topics) {
  for (const SparseShape& shape : sparse_shapes) {
    if (topics <= shape.topics) return shape;
  }
  return {};  // never
}

}  // namespace papilio::lda
