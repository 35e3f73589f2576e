#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/corpus.h"

namespace papilio {

// The languages whose stop words papilio knows, by their English names, sorted: "catalan", ..., "turkish".
const std::vector<std::string>& stop_word_languages();

// The function words of a language: articles, pronouns, prepositions, conjunctions, auxiliary verbs and the like, in
// all their forms. Case-folded, in NFC, distinct, sorted by byte; words with an apostrophe in both of its forms.
// stop_words("english") is english_stop_words().
//
// Throws InvalidArgument for a language that is not one of stop_word_languages().
const std::vector<std::string>& stop_words(std::string_view language);

// Stop words among the most frequent words of a corpus.
struct FrequentStopWords {
  std::string language;
  std::int64_t among = 0;          // how many of the most frequent words were looked at
  std::vector<std::string> words;  // those of them that are stop words, the most frequent first
};

// Looks at the 30 most frequent words (fewer if the corpus has fewer, but at least 10; of equally frequent words, at
// those with lower numbers). If more than half are stop words of a language, returns these. If that holds for several
// languages, takes the one whose stop words cover the most tokens of the 300 most frequent words. The same for any
// number of threads (0: all). Time: one pass over the tokens.
//
// Throws InvalidArgument for a corpus that does not verify.
std::optional<FrequentStopWords> find_frequent_stop_words(const CorpusView& corpus, int threads = 0);

// The same, given how often each word occurs: 0 or more, below 2^63 together. Throws InvalidArgument for other counts.
std::optional<FrequentStopWords> find_frequent_stop_words(std::span<const std::string> vocabulary,
                                                          std::span<const std::int64_t> counts);

}  // namespace papilio
