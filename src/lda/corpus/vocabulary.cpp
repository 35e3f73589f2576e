#include "lda/corpus/vocabulary.h"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/check.h"
#include "execution/check_view.h"
#include "lda/corpus/utf8.h"
#include "lda/corpus/word_hash.h"

namespace papilio::lda {
namespace {

// The numbers of words by their hashes: open addressing, at most half full.
class Numbers {
 public:
  explicit Numbers(std::span<const std::string> words) : words_(words), slots_(std::bit_ceil(2 * words.size() + 1)) {}

  // The number of an equal word before `w`; `w` itself if there is none, and it is then stored.
  std::size_t first(std::size_t w) {
    std::size_t slot = hash_(words_[w]) & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::size_t known = slots_[slot] - 1;
      if (words_[known] == words_[w]) return known;
    }
    slots_[slot] = static_cast<std::uint32_t>(w + 1);
    return w;
  }

 private:
  const std::span<const std::string> words_;
  std::vector<std::uint32_t> slots_;  // a word's number plus 1; 0: free
  WordHash hash_;
};

}  // namespace

std::string vocabulary_fault(std::span<const std::string> words) {
  constexpr std::size_t most_words = 0x7fffffff;
  if (words.size() > most_words)
    return fmt::format("there are {} words, expected at most {}", words.size(), most_words);
  Numbers numbers(words);
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (words[w].empty()) return fmt::format("word {} is empty, expected one or more characters", w);
    const std::size_t ill_formed = find_ill_formed(words[w]);
    if (ill_formed != std::string::npos) {
      return fmt::format("word {} is not well-formed UTF-8: its byte {} is {:#04x}", w, ill_formed,
                         static_cast<unsigned char>(words[w][ill_formed]));
    }
    const std::size_t first = numbers.first(w);
    if (first != w) {
      return fmt::format("words {} and {} are spelled the same, expected distinct words", first, w);
    }
  }
  return "";
}

void require_vocabulary(std::span<const std::string> words, const char* caller) {
  const std::string fault = vocabulary_fault(words);
  base::require(fault.empty(), "papilio::{}: {}", caller, fault);
}

void require_word_counts(std::span<const std::string> words, std::span<const std::int64_t> counts, const char* caller) {
  execution::require_span(caller, "counts", counts);
  base::require(counts.size() == words.size(), "papilio::{}: counts has {} entries, expected one per word: {}", caller,
                counts.size(), words.size());
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  for (std::size_t w = 0; w < counts.size(); ++w) {
    base::require(counts[w] >= 0, "papilio::{}: counts[{}] is {}, expected 0 or more", caller, w, counts[w]);
    base::require(counts[w] <= left, "papilio::{}: counts up to that of word {} add up to 2^63 or more", caller, w);
    left -= counts[w];
  }
}

}  // namespace papilio::lda
