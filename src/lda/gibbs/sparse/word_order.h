#pragma once

#include <cstdint>
#include <vector>

#include "lda/gibbs/sparse/batch.h"
#include "lda/gibbs/sparse/big_array.h"
#include "papilio/corpus.h"

namespace papilio::lda::sparse {

// The tokens of a corpus word after word, each word's in ascending order; fewer than 2^32 of them.
struct WordOrder {
  explicit WordOrder(const CorpusView& corpus);

  BigArray<Token> tokens;             // N
  std::vector<std::int64_t> offsets;  // V + 1
};

}  // namespace papilio::lda::sparse
