#pragma once

#include <cstdint>
#include <vector>

#include "lda/training/memory/big_array.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// The tokens of a corpus word after word, each word's in ascending order; fewer than 2^32 of them.
struct WordPlaces {
  explicit WordPlaces(const CorpusView& corpus);

  std::vector<std::int64_t> offsets;  // V + 1
  BigArray<std::uint32_t> tokens;     // N
  BigArray<std::uint32_t> documents;  // N: theirs
};

// Where each document's list of topics begins, D + 1: a document has no more topics than tokens, and at most K.
std::vector<std::int64_t> topic_list_offsets(const CorpusView& corpus, std::int32_t topics);

}  // namespace papilio::lda
