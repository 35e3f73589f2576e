#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "execution/cuda/memory.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// The documents of a corpus that have tokens, in the order of a layout. There are fewer than 2^32 tokens.
struct DocumentOrder {
  std::vector<std::uint32_t> first_tokens;  // numbers in the corpus
  std::vector<std::uint32_t> begins;        // the number of tokens of all earlier documents
};

// SparseLayout::document and place, on a device.
template <class Number>
struct TokensByWord {
  execution::DeviceArray<std::int32_t> document;
  execution::DeviceArray<Number> place;
  std::vector<std::int64_t> word_offsets;  // as in the layout
};

// How many tokens are sorted at a time; the memory for this is small compared with that of the sweeps.
inline constexpr std::int64_t tokens_per_sort(std::int64_t tokens) {
  return std::clamp<std::int64_t>(tokens / 8, std::int64_t{1} << 20, std::int64_t{1} << 24);
}

// Orders the tokens of a corpus by word on the current device: within a word by document, within a document by place.
template <class Number>
TokensByWord<Number> order_by_word(const CorpusView& corpus, const DocumentOrder& documents, int threads,
                                   cudaStream_t stream, std::int64_t part_tokens);

// How many bytes of the device this takes at most, including the result.
template <class Number>
std::int64_t bytes_to_order_by_word(std::int64_t tokens, std::int64_t words, std::int64_t documents,
                                    std::int64_t part_tokens);

}  // namespace papilio::lda
