#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "execution/cuda/memory.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// The documents of a corpus that have tokens, in the order of a layout. Fewer than 2^32 tokens.
struct DocumentOrder {
  std::vector<std::uint32_t> first_tokens;  // in the corpus
  std::vector<std::uint32_t> begins;        // tokens of the documents before
};

// SparseLayout::document and place, on a device.
template <class Number>
struct TokensByWord {
  execution::DeviceArray<std::int32_t> document;
  execution::DeviceArray<Number> place;
  std::vector<std::int64_t> word_offsets;  // as the layout has them
};

// Tokens that are sorted at a time: the memory for it is small beside that of the sweeps.
inline constexpr std::int64_t tokens_per_sort(std::int64_t tokens) {
  return std::clamp<std::int64_t>(tokens / 8, std::int64_t{1} << 20, std::int64_t{1} << 24);
}

// Puts the tokens of a corpus in order by word on the current device: in a word by document, in a document by place.
template <class Number>
TokensByWord<Number> order_by_word(const CorpusView& corpus, const DocumentOrder& documents, int threads,
                                   cudaStream_t stream, std::int64_t part_tokens);

// The bytes of the device that it takes at most, with what it gives.
template <class Number>
std::int64_t bytes_to_order_by_word(std::int64_t tokens, std::int64_t words, std::int64_t documents,
                                    std::int64_t part_tokens);

}  // namespace papilio::lda
