#pragma once

#include <cstdint>
#include <vector>

#include "lda/training/memory/big_array.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// The tokens of a corpus word after word, each word's in ascending order;
// fewer than 2^32 of them. Also where the topic lists of the documents begin.
struct WordPlaces {
  // list_offsets: D + 1.
  WordPlaces(const CorpusView& corpus, std::vector<std::int64_t> list_offsets);

  std::vector<std::int64_t> offsets;       // V + 1, into tokens
  std::vector<std::int64_t> list_offsets;  // D + 1: where each document's list begins
  BigArray<std::uint32_t> tokens;          // N
  BigArray<std::int64_t> lists;            // N: where the list of the token's document begins
};

// D + 1: where each document's list begins. A list has a head and min(tokens of the document, K) entries.
std::vector<std::int64_t> topic_list_offsets(const CorpusView& corpus, std::int32_t topics);

}  // namespace papilio::lda
