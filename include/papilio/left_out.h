#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/choice.h"

namespace papilio {

// Why a word of the input is not in the corpus.
enum class LeftOutReason : std::uint8_t {
  too_short,       // less than min_token_length
  number,          // without a letter, if the rule for words requires one
  pattern,         // not matched by token_pattern
  stop_word,       // in the list
  min_df,          // in too few documents
  max_df,          // in too many documents
  max_vocabulary,  // less frequent than the words that stay
  unknown,         // not in a model's vocabulary
};

// Every reason, in the order in which words are left out. The help is what such words are called.
std::span<const Choice<LeftOutReason>> left_out_reasons() noexcept;
std::string_view name(LeftOutReason reason) noexcept;  // "unknown" also for a number that is not an enumerator

// The most distinct words that are counted for each of too_short, number and pattern, besides words of one or two ASCII
// characters; and the longest, in bytes.
inline constexpr std::int64_t most_left_out_words = 1 << 14;
inline constexpr std::size_t longest_left_out_word = 64;

// Words that were left out for one reason. The same for any number of threads.
struct LeftOutWords {
  std::int64_t tokens = 0;
  std::int64_t words = 0;       // distinct ones
  bool has_more_words = false;  // there are more distinct words than were counted
  std::vector<std::string> examples =
      {};  // of the words counted, the three most frequent; of equals the first by bytes

  bool operator==(const LeftOutWords&) const = default;
};

// All words that were left out, by reason.
struct LeftOut {
  std::array<LeftOutWords, 8> reasons;

  LeftOutWords& operator[](LeftOutReason reason) { return reasons[static_cast<std::size_t>(reason)]; }
  const LeftOutWords& operator[](LeftOutReason reason) const { return reasons[static_cast<std::size_t>(reason)]; }

  std::int64_t tokens() const;

  bool operator==(const LeftOut&) const = default;
};

// A line for people: "left out 127 tokens: words that are too short (120 tokens, 3 different: of, to, in), numbers (7
// tokens, 5 different: 1, 2, 1993 ...)"; empty if nothing was left out. The words are as they are in the input,
// whatever characters they hold.
std::string describe(const LeftOut& left_out);

}  // namespace papilio
