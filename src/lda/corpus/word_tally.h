#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "lda/corpus/word_index.h"
#include "papilio/communicator.h"
#include "papilio/left_out.h"

namespace papilio::lda {

// Counts words, and remembers the first distinct ones. Words of one or two ASCII letters and digits, which are frequent
// but few, have a table of their own.
class WordTally {
 public:
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

  // Remembers at most `limit` distinct words, besides those of the table.
  explicit WordTally(std::int64_t limit = no_limit) : most_words_(limit) {}

  void add(std::string_view word, std::int64_t count = 1) {
    if (word.size() <= 2 && is_plain(word.front()) && is_plain(word.back())) {
      tokens_ += count;
      pairs()[place(word)] += count;
    } else {
      remember(word, count);
    }
  }

  // Adds the tally of the text that comes next. If the parts have no
  // limit, the sum depends on the whole text, not on where it is cut.
  void add(const WordTally& next);

  // Makes this the tally of the whole text, whose parts the ranks have counted in their order, with limits of at least
  // `limit` words. It keeps the first `limit` words of all. A rank whose limit was too small for its part misses tokens
  // of them, so counts and examples may differ from those of one tally. Collective.
  void add_up(std::int64_t limit, Communicator& ranks);

  void clear();
  LeftOutWords result() const;
  std::int64_t memory() const;  // approximate bytes

 private:
  static constexpr char first_plain = '0';
  static constexpr char last_plain = 'z';
  static constexpr std::size_t plain = last_plain - first_plain + 2;  // one more, for no character

  static bool is_plain(char c) { return c >= first_plain && c <= last_plain; }
  static std::size_t place(std::string_view word) {
    const auto code = [](char c) { return static_cast<std::size_t>(c - first_plain + 1); };
    return code(word.front()) * plain + (word.size() == 2 ? code(word[1]) : 0);
  }
  static std::string word_at(std::size_t place);

  std::vector<std::int64_t>& pairs() {
    if (pairs_.empty()) pairs_.resize(plain * plain);
    return pairs_;
  }
  void remember(std::string_view word, std::int64_t count);
  WordIndex first_words(std::int64_t limit, Communicator& ranks) const;

  std::int64_t most_words_;
  std::int64_t tokens_ = 0;
  std::vector<std::int64_t> pairs_;  // by place
  WordIndex words_;
  std::vector<std::int64_t> counts_;  // of words_
  bool has_more_words_ = false;
};

// The words of these counts that `belongs` picks by number. A word without tokens is not counted as left out.
LeftOutWords pick_words(std::span<const std::string> words, std::span<const std::int64_t> counts,
                        base::FunctionRef<bool(std::size_t)> belongs);

// What a tokenizer leaves out.
struct TokenTally {
  explicit TokenTally(std::int64_t limit = WordTally::no_limit)
      : too_short(limit), numbers(limit), outside_pattern(limit) {}

  void add(const TokenTally& next);
  void add_up(std::int64_t limit, Communicator& ranks);  // but for `unspaced`
  void clear();
  void tell(LeftOut& left_out) const;
  std::int64_t memory() const { return too_short.memory() + numbers.memory() + outside_pattern.memory(); }

  WordTally too_short;
  WordTally numbers;
  WordTally outside_pattern;
  std::int64_t unspaced = 0;  // tokens that are long runs of a script without spaces; they are not left out
};

}  // namespace papilio::lda
