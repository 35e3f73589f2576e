#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "papilio/choice.h"

namespace papilio {

// Which stretches of a text are its words. docs/corpus_formats.md has the rules.
enum class WordRule : std::uint8_t {
  letters,  // letters, joined by single punctuation characters: "don't", "x-ray"
  mixed,    // letters and digits likewise, at least one of them a letter: "5g", "gpt-4", "covid-19"
  numbers,  // the same, and numbers: "2020", "3.14"
  icu,      // what lies between the word boundaries of ICU, for text without spaces: Chinese, Japanese, Thai
};

// Every rule, the default first; the name of one ("unknown" for a number that is not an enumerator); and the rule of a
// name, which throws InvalidArgument with the known names.
std::span<const Choice<WordRule>> word_rules() noexcept;
std::string_view name(WordRule rule) noexcept;
WordRule parse_word_rule(std::string_view name);

// The version of ICU that WordRule::icu uses, such as "72.1"; the words depend on it. Empty in a build without ICU,
// where that rule is an error.
std::string_view icu_version() noexcept;

// What is wrong with a value of TextOptions::token_pattern, in RE2's words, with the place; empty if it is valid.
std::string token_pattern_fault(std::string_view pattern);

}  // namespace papilio
