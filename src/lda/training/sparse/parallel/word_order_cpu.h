#pragma once

#include <cstdint>
#include <vector>

#include "lda/training/memory/big_array.h"
#include "lda/training/sparse/parallel/batch.h"
#include "papilio/corpus.h"

namespace papilio::lda::sparse {

// The tokens of a corpus word after word, each word's in ascending order; fewer than 2^32 of them. A word's
// tokens in one document are a pair, or several where they are more than most_tokens.
struct WordOrder {
  explicit WordOrder(const CorpusView& corpus);

  BigArray<std::uint32_t> numbers;    // N, and zeros after them, as in other arrays here: who reads them looks ahead
  BigArray<std::uint32_t> places;     // N, of each token in this order
  std::vector<std::int64_t> offsets;  // V + 1, into them
  std::vector<std::int64_t> pair_offsets;  // V + 1
  BigArray<std::uint32_t> documents;       // of each pair
  BigArray<std::uint8_t> sizes;            // its tokens
};

}  // namespace papilio::lda::sparse
