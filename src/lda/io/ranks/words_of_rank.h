#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "papilio/distributed.h"

namespace papilio::lda {

// The words of all tokens of a corpus as one array, in which this rank has memory only for its own words. Accessing
// those of others ends the process.
class WordsOfRank {
 public:
  // All words are 0. Throws std::bad_alloc.
  WordsOfRank(std::int64_t tokens, const RankDocuments& own);
  ~WordsOfRank();
  WordsOfRank(const WordsOfRank&) = delete;
  WordsOfRank& operator=(const WordsOfRank&) = delete;

  std::span<const std::int32_t> all() const { return words_; }
  std::span<std::int32_t> own() const { return own_; }

 private:
  std::span<std::int32_t> words_;
  std::span<std::int32_t> own_;
};

}  // namespace papilio::lda
