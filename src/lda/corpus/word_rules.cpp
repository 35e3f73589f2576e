#include "papilio/word_rules.h"

#include "base/choices.h"

namespace papilio {
namespace {

using enum WordRule;

constexpr Choice<WordRule> rules[] = {
    {letters, "letters", "letters, joined by single punctuation characters: don't, x-ray"},
    {mixed, "mixed", "letters and digits, at least one letter: 5g, gpt-4, covid-19"},
    {numbers, "numbers", "the same, and numbers: 2020, 3.14"},
    {icu, "icu",
     "by ICU's word boundaries; for text without spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese"},
};

}  // namespace

std::span<const Choice<WordRule>> word_rules() noexcept { return rules; }
std::string_view name(WordRule rule) noexcept { return base::name_in(rules, rule); }
WordRule parse_word_rule(std::string_view name) {
  return base::parse_in(rules, name, "parse_word_rule", "rule for words");
}

}  // namespace papilio
