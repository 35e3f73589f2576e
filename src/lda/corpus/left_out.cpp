#include "papilio/left_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <tuple>

#include "base/choices.h"
#include "base/grouped.h"

namespace papilio {
namespace {

using enum LeftOutReason;

constexpr Choice<LeftOutReason> reasons[] = {
    {too_short, "too_short", "words that are too short"},
    {number, "number", "numbers"},
    {pattern, "pattern", "words that the pattern leaves out"},
    {stop_word, "stop_word", "stop words"},
    {min_df, "min_df", "words in too few documents"},
    {max_df, "max_df", "words in too many documents"},
    {max_vocabulary, "max_vocabulary", "words beyond the largest vocabulary"},
    {unknown, "unknown", "words that the model does not know"},
};
static_assert(std::size(reasons) == std::tuple_size_v<decltype(LeftOut::reasons)>);

std::string grouped(std::int64_t value) { return base::grouped(fmt::format("{}", value)); }

std::string counted(std::int64_t tokens) { return fmt::format("{} token{}", grouped(tokens), tokens == 1 ? "" : "s"); }

// "numbers (3,020 tokens, 1,200 different: 1, 2, 1993 ...)".
std::string describe(const LeftOutWords& words, std::string_view name) {
  std::string text = fmt::format("{} ({}, {}{} different", name, counted(words.tokens),
                                 words.has_more_words ? "more than " : "", grouped(words.words));
  if (!words.examples.empty()) text += fmt::format(": {}", fmt::join(words.examples, ", "));
  const bool are_all = std::ssize(words.examples) == words.words && !words.has_more_words;
  return text + (are_all || words.examples.empty() ? ")" : " ...)");
}

}  // namespace

std::span<const Choice<LeftOutReason>> left_out_reasons() noexcept { return reasons; }
std::string_view name(LeftOutReason reason) noexcept { return base::name_in(reasons, reason); }

std::int64_t LeftOut::tokens() const {
  std::int64_t tokens = 0;
  for (const LeftOutWords& words : reasons) tokens += words.tokens;
  return tokens;
}

std::string describe(const LeftOut& left_out) {
  std::string text;
  for (const Choice<LeftOutReason>& row : reasons) {
    const LeftOutWords& words = left_out[row.value];
    if (words.tokens == 0 && words.words == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", describe(words, row.help));
  }
  return text.empty() ? text : fmt::format("left out {}: {}", counted(left_out.tokens()), text);
}

}  // namespace papilio
