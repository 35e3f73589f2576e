#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lda/corpus/marked_words.h"
#include "lda/corpus/phrases.h"

namespace papilio::lda {

// Recognises phrases by the words of a vocabulary: consecutive words that spell a phrase when joined by the delimiter.
// So "foo_bar" and "baz" are "foo_bar_baz", just as "foo", "bar" and "baz" are.
//
// A unit is a word or a phrase: units below V are the words, unit
// V + p is phrase p. A phrase spelled like a word is that word.
//
// Memory: about 16 bytes per word and bytes_per_phrase per phrase.
class PhraseMatcher {
 public:
  // `phrases` are distinct and have 2 to most_phrase_words parts.
  PhraseMatcher(std::span<const std::string> words, std::vector<std::string> phrases, std::string_view delimiter);

  struct Match {
    std::int32_t unit;
    int words;  // words that the unit takes
  };

  // Whether a phrase may begin with the word.
  bool begins(std::int32_t word) const { return after_first_[static_cast<std::size_t>(word)] >= 0; }

  // The longest phrase at the beginning of the words, or the first word.
  Match longest(std::span<const std::int32_t> words) const;

  // The largest number of words of text that a phrase may take.
  int most_words() const { return most_words_; }

  std::int32_t units() const { return static_cast<std::int32_t>(after_first_.size() + phrases_.size()); }
  const std::vector<std::string>& phrases() const { return phrases_; }

 private:
  // A node of the trie of the phrases' parts; children ascend by part.
  struct Child {
    std::int32_t part;
    std::int32_t node;
  };
  struct Node {
    std::vector<Child> children;
    std::int32_t phrase = -1;
  };

  std::int32_t child(std::int32_t node, std::int32_t part) const;
  std::int32_t walk(std::int32_t node, std::int32_t word) const;

  std::vector<std::string> phrases_;
  std::vector<Node> nodes_;
  std::vector<std::int64_t> part_offsets_ = {0};  // of each word in parts_; none for a word that is in no phrase
  std::vector<std::int32_t> parts_;
  std::vector<std::int32_t> after_first_;  // the node after each word as first word; -1: no phrase begins with it
  std::vector<std::int32_t> unit_of_;      // of each phrase
  int most_words_ = 1;
};

// The approximate memory that a phrase takes in a matcher and in the lists that go with it.
inline constexpr std::int64_t bytes_per_phrase = 384;

// A unit of joined text.
struct PhraseUnit {
  std::int32_t number;
  bool is_marked;  // not a neighbour of the unit before it
  int words;
};

// Joins the words of a text, one after the other, and passes the units to `use` in order.
template <class Use>
class PhraseJoiner {
 public:
  PhraseJoiner(const PhraseMatcher& matcher, Use& use) : matcher_(matcher), use_(use) {}

  void add(std::int32_t word) {
    if (is_marked(word)) flush();
    const std::int32_t number = unmarked(word);
    if (size_ == 0) {
      is_marked_ = is_marked(word);
      if (!matcher_.begins(number)) {
        use_(PhraseUnit{number, is_marked_, 1});
        return;
      }
    }
    waiting_[size_++] = number;
    if (size_ == static_cast<std::size_t>(matcher_.most_words())) take_first();
  }

  // Call it at the end of a document.
  void flush() {
    while (size_ > 0) take_first();
  }

 private:
  // Passes on the first unit of the waiting words, and the words after it that begin no phrase.
  void take_first() {
    std::size_t taken = 0;
    do {
      const PhraseMatcher::Match match = matcher_.longest({waiting_.data() + taken, size_ - taken});
      use_(PhraseUnit{match.unit, is_marked_, match.words});
      is_marked_ = false;
      taken += static_cast<std::size_t>(match.words);
    } while (taken < size_ && !matcher_.begins(waiting_[taken]));
    for (std::size_t i = taken; i < size_; ++i) waiting_[i - taken] = waiting_[i];
    size_ -= taken;
  }

  const PhraseMatcher& matcher_;
  Use& use_;
  std::array<std::int32_t, most_phrase_words> waiting_ = {};
  std::size_t size_ = 0;
  bool is_marked_ = true;
};

}  // namespace papilio::lda
