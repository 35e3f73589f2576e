#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/corpus.h"

namespace papilio {

// Phrases in an existing corpus. When text is read, TextOptions::phrases does the same, and also knows what stands
// between the words. docs/phrases.md has the rules.

// A phrase that was found.
struct Phrase {
  std::string words;       // joined by the delimiter: "new_york"
  std::int64_t count = 0;  // how often its two parts were neighbours when it was found
  double npmi = 0;         // their normalised pointwise mutual information then, -1 to 1
};

// Finds phrases among the tokens of a corpus. Tokens that follow one another in a document count as neighbours, so the
// tokens must be in the order of the text. `options.find` and `options.list` are ignored.
//
// Words a and b, which occur n_a and n_b times among n tokens and n_ab times as neighbours, are a phrase if
//   n_ab >= min_count  and  NPMI = (ln(n_ab / n_a) + ln(n / n_b)) / ln(n / n_ab) >= threshold
// (Bouma, "Normalized (Pointwise) Mutual Information in Collocation Extraction", 2009). Found phrases are joined and
// counted again, which gives longer phrases, until a pass finds none or after `length` - 1 passes.
//
// Returns the phrases by descending NPMI, then by bytes. Counts are integers and the logarithm is the library's own:
// the result is the same on every machine. Time: linear in the tokens, per pass; memory: 4 bytes per token. Throws
// InvalidArgument for options out of range and a corpus that does not verify.
std::vector<Phrase> find_phrases(const CorpusView& corpus, const PhraseOptions& options = {.find = true});

// Joins phrases, spelled "new york" or "new_york": from left to right, at each token the longest phrase that begins
// there. Words are numbered again by first occurrence; words that no longer occur are left out, documents and their
// names stay. Time: linear in the tokens. Throws InvalidArgument for a corpus that does not verify, for a phrase
// without 2 to 16 words, and for a delimiter that is empty or holds white space.
//
//   const Corpus joined = join_phrases(corpus, std::vector<std::string>{"new york", "los angeles"});
Corpus join_phrases(const CorpusView& corpus, std::span<const std::string> phrases, std::string_view delimiter = "_");

// The words of a vocabulary that are 2 to 16 words joined by the delimiter. Read new text with them as the list of
// PhraseOptions, and it has the same phrases as the vocabulary's corpus: words that a model knows.
std::vector<std::string> phrases_in_vocabulary(std::span<const std::string> vocabulary,
                                               std::string_view delimiter = "_");

}  // namespace papilio
