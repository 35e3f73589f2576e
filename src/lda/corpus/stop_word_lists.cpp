#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/choices.h"
#include "lda/corpus/stop_word_texts.h"
#include "lda/corpus/tokenizer.h"
#include "papilio/stop_words.h"

namespace papilio {
namespace {

constexpr std::string_view typewriter_apostrophe = "'";
constexpr std::string_view printers_apostrophe = "\u2019";

std::string with_printers_apostrophe(std::string word) {
  for (std::size_t place = 0; (place = word.find(typewriter_apostrophe, place)) != word.npos;) {
    word.replace(place, 1, printers_apostrophe);
  }
  return word;
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::vector<std::string> words;
  lda::Tokenizer tokenizer(1);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream blanks(line);
    for (std::string word; blanks >> word;) {
      words.push_back(tokenizer.fold(word));
      words.push_back(with_printers_apostrophe(words.back()));
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

using Lists = std::map<std::string, std::vector<std::string>, std::less<>>;

const Lists& lists() {
  static const Lists made = [] {
    Lists all = {{"english", english_stop_words()}};
    for (const lda::StopWordText& row : lda::stop_word_texts) all.emplace(row.language, words_of(row.text));
    return all;
  }();
  return made;
}

}  // namespace

const std::vector<std::string>& stop_word_languages() {
  static const std::vector<std::string> languages = [] {
    std::vector<std::string> names;
    for (const auto& [language, words] : lists()) names.push_back(language);
    return names;
  }();
  return languages;
}

const std::vector<std::string>& stop_words(std::string_view language) {
  const auto found = lists().find(language);
  base::require(found != lists().end(), "papilio::stop_words: language is {}, expected one of {}",
                base::quoted(language), fmt::join(stop_word_languages(), ", "));
  return found->second;
}

}  // namespace papilio
