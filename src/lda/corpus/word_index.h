#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace papilio::lda {

// Numbers words 0, 1, ... in the order in which they first occur.
class WordIndex {
 public:
  WordIndex();

  // The word's number; a new word gets the next one. Throws InvalidArgument at 2^31 - 1 words.
  std::int32_t number(std::string_view word);

  // The word's number, or -1.
  std::int32_t find(std::string_view word) const;

  // The words by number.
  const std::vector<std::string>& words() const { return words_; }

  // The bytes of memory that it takes, approximately.
  std::int64_t memory() const;

  void clear();

  // Moves the words out and forgets them.
  std::vector<std::string> take_words();

 private:
  // Open addressing with linear probing, at most half full. `tag` avoids most comparisons of words.
  struct Slot {
    std::uint32_t tag;
    std::int32_t number;  // -1: free
  };

  std::size_t slot_of(std::string_view word, std::uint64_t hash) const;
  void grow();

  std::vector<Slot> slots_;
  std::vector<std::string> words_;
  std::int64_t bytes_outside_ = 0;  // of words too long to be held in the std::string itself
};

}  // namespace papilio::lda
