#pragma once

#include <cstdint>
#include <vector>

#include "lda/training/memory/big_array.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// The tokens of a corpus word after word, each word's in ascending order; fewer than 2^32 of them. And the lists of
// documents' topics, of a head and no more entries than the document has tokens, and at most K.
struct WordPlaces {
  WordPlaces(const CorpusView& corpus, std::int32_t topics);

  std::vector<std::int64_t> offsets;       // V + 1, into tokens
  std::vector<std::int64_t> list_offsets;  // D + 1: where each document's list begins
  BigArray<std::uint32_t> tokens;          // N
  BigArray<std::int64_t> lists;            // N: where the list of the token's document begins
};

// Entries of all lists.
std::int64_t topic_list_entries(const CorpusView& corpus, std::int32_t topics);

}  // namespace papilio::lda
