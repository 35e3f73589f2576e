#pragma once

#include <cstdint>
#include <limits>

// The launch shapes of sparse draws, chosen by measurements. None of them changes a draw.

namespace papilio::lda {

// A block draws an item, that is, tokens of one word: a small block if the item has few tokens, else a block of
// `threads`. With many topics, a block has to make a large row, and a multiprocessor has room for few blocks.
struct SparseShape {
  std::int32_t topics;  // at most
  int threads;          // 128 or 512
};
inline constexpr SparseShape sparse_shapes[] = {
    {.topics = 5376, .threads = 128},
    {.topics = std::numeric_limits<std::int32_t>::max(), .threads = 512},
};
inline constexpr std::int32_t few_tokens = 128;           // at most, for an item to get a small block
inline constexpr std::int32_t many_tokens_of_row = 1024;  // for an item to get a block of 512 threads

// A row takes time for all topics. So with many topics, a word with at most tokens_without_row tokens has none; it then
// takes more time per token. Among these words, one with few_tokens or fewer gets a small block, one with more than
// many_tokens 512 threads, the others 128.
inline constexpr std::int32_t topics_with_rows = 1024;
inline constexpr std::int32_t topics_per_token = 24;
inline constexpr std::int32_t most_without_row = 4096;
inline constexpr std::int32_t many_tokens = 512;

// With up to topics_with_rows topics, words of at most this many tokens (and of at most half as many, and so on) have
// their counts in tables of bytes, which are a quarter of a row's size and need not be made.
inline constexpr std::int32_t most_tokens_in_table = 32;

// Fewer such words would not fill a device; they have rows instead.
inline constexpr std::int64_t least_words_in_tables = 8192;

// Up to this many topics, a block collects the changes of a frequent word's counts.
inline constexpr std::int32_t topics_with_changes = 2048;

// The length from which a document is long. Drawing by pair is worth it if long documents have at least 1 / long_share
// of all tokens, and for a block with at least least_of_pair tokens of one word in one document.
inline constexpr std::int64_t long_document = 16384;
inline constexpr std::int64_t long_share = 4;
inline constexpr int least_of_pair = 8;

// Documents with more tokens than this are counted by several blocks, slice_tokens each, before their lists are made.
constexpr std::int64_t most_tokens_per_block(std::int32_t topics) {
  return topics * std::int64_t{8} > 65536 ? topics * std::int64_t{8} : 65536;
}
inline constexpr std::int32_t slice_tokens = 16384;

inline constexpr int small_block_threads = 32;
inline constexpr int global_row_threads = 512;  // if rows of phi are in global memory, in blocks that draw many items
inline constexpr int global_row_blocks = 2;     // such blocks per multiprocessor

// How many threads and blocks a multiprocessor should hold at once: more threads with fewer registers each hide the
// latency of lists and searches better.
inline constexpr int threads_at_once = 1024;
inline constexpr int most_blocks_at_once = 32;

constexpr std::int32_t tokens_without_row(std::int32_t topics) {
  const std::int32_t tokens = (topics - topics_with_rows) / topics_per_token;
  return tokens < 0 ? 0 : tokens < most_without_row ? tokens : most_without_row;
}

// From this many tokens on, larger parts of frequent words are enough for all multiprocessors.
inline constexpr std::int64_t many_tokens_of_corpus = std::int64_t{1} << 23;

// How many tokens of a frequent word a block draws: the more topics, the more its row costs.
constexpr std::int32_t tokens_of_part(std::int32_t topics, std::int64_t tokens = 0) {
  if (topics >= 2048) return topics / 2;
  return tokens < many_tokens_of_corpus ? 1024 : 2048;
}

constexpr SparseShape sparse_shape(std::int32_t topics) {
  for (const SparseShape& shape : sparse_shapes) {
    if (topics <= shape.topics) return shape;
  }
  return {};  // never used
}

}  // namespace papilio::lda
