#pragma once

// Phrases by their plain rules, which compare spellings.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "papilio/corpus.h"

namespace papilio::lda {

using Words = std::vector<std::string>;
using Documents = std::vector<Words>;

inline int parts_of(const std::string& word) { return 1 + static_cast<int>(std::count(word.begin(), word.end(), '_')); }

inline std::string joined(const Words& words, std::size_t begin, std::size_t end) {
  std::string phrase = words[begin];
  for (std::size_t i = begin + 1; i < end; ++i) phrase += "_" + words[i];
  return phrase;
}

// From left to right, the longest phrase that begins at each word.
inline Words join_plainly(const Words& words, const std::set<std::string>& phrases) {
  Words result;
  for (std::size_t i = 0; i < words.size();) {
    std::size_t end = i + 1;
    for (std::size_t last = i + 2; last <= words.size(); ++last) {
      if (phrases.contains(joined(words, i, last))) end = last;
    }
    result.push_back(joined(words, i, end));
    i = end;
  }
  return result;
}

inline std::map<std::string, double> find_plainly(const Documents& documents, const PhraseOptions& options) {
  std::map<std::string, double> found;
  std::set<std::string> phrases;
  for (int pass = 1; pass < options.length; ++pass) {
    std::map<std::string, double> counts;
    std::map<std::pair<std::string, std::string>, double> pairs;
    double tokens = 0;
    for (const Words& document : documents) {
      const Words units = join_plainly(document, phrases);
      for (std::size_t i = 0; i < units.size(); ++i) {
        ++counts[units[i]];
        ++tokens;
        if (i > 0) ++pairs[{units[i - 1], units[i]}];
      }
    }
    std::map<std::string, double> best;  // the same words in other parts: of the first pair that fits
    for (const auto& [pair, count] : pairs) {
      const auto& [a, b] = pair;
      const double npmi = std::log(count * tokens / (counts[a] * counts[b])) / std::log(tokens / count);
      if (parts_of(a) + parts_of(b) > options.length || count < static_cast<double>(options.min_count)) continue;
      if (npmi >= options.threshold && !phrases.contains(a + "_" + b)) best.emplace(a + "_" + b, npmi);
    }
    if (best.empty()) break;
    for (const auto& [phrase, npmi] : best) {
      phrases.insert(phrase);
      found.emplace(phrase, npmi);
    }
  }
  return found;
}

inline Corpus corpus_of(const Documents& documents) {
  Corpus corpus;
  std::map<std::string, std::int32_t> numbers;
  for (const Words& document : documents) {
    for (const std::string& word : document) {
      const auto [place, is_new] = numbers.emplace(word, static_cast<std::int32_t>(numbers.size()));
      if (is_new) corpus.vocabulary.push_back(word);
      corpus.words.push_back(place->second);
    }
    corpus.document_offsets.push_back(corpus.tokens());
  }
  return corpus;
}

}  // namespace papilio::lda
