#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/model.h"

namespace papilio {

// The default weight of a seed word, in tokens.
inline constexpr std::int32_t default_seed_weight = 100;

struct SeedWordsOptions {
  std::int32_t topics = 100;                  // K
  std::int32_t weight = default_seed_weight;  // of lines without one; 1 to largest_seed_weight
  std::int64_t max_memory = 0;                // bytes that the list may take; 0: as in TextOptions
};

// What became of the words of a file.
struct SeedWordsReport {
  std::int64_t words = 0;             // taken, once for each topic that lists them
  std::int64_t unknown = 0;           // not in the vocabulary, and left out
  std::vector<std::string> examples;  // the first ten of these
};

// Reads seed words, a line per topic:
//
//   0: bank money loan
//   3 weight 50: river water bank
//   sport: match team goal             # a name in place of a number: the topic after the line before
//   vote party law                     # likewise
//
// Words are separated by blanks and spelled as in the vocabulary (lower-case, unless case is kept). A line without a
// number is for the topic after that of the line before; the first, for topic 0. "weight N" before the colon holds for
// the line. '#' at the beginning of a line or word starts a comment.
//
// Words that are not in the vocabulary are left out and counted in the report. Throws IoError; FormatError with path
// and line for a line without words or with none that the vocabulary has, a topic or weight out of range, a word that a
// topic lists twice, text that is not UTF-8; InvalidArgument for options out of range.
std::vector<SeedWord> read_seed_words(const std::string& path, std::span<const std::string> vocabulary,
                                      const SeedWordsOptions& options, SeedWordsReport* report = nullptr);

}  // namespace papilio
