#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lda/corpus/word_index.h"
#include "papilio/communicator.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// Throws InvalidArgument naming the first option out of range.
void require_text_options(const TextOptions& options, const char* caller);

// The stop words, case-folded and in NFC.
WordIndex index_stop_words(const std::vector<std::string>& stop_words);

// In how many documents each word occurs.
std::vector<std::int64_t> document_frequencies(const Corpus& corpus, int threads);

// How often each word occurs.
struct WordStatistics {
  std::vector<std::int64_t> frequencies;  // documents that contain it; empty if nothing depends on them
  std::vector<std::int64_t> counts;       // tokens
};

// Whether min_df or max_df can leave a word out.
inline bool limits_frequencies(const TextOptions& options) { return options.min_df > 1 || options.max_df < 1; }

// Which words stay by min_df, max_df and max_vocabulary: 1 or 0 for each. Reports the others to `left_out`, if given.
std::vector<std::uint8_t> choose_words(const WordStatistics& statistics, std::int64_t documents,
                                       const TextOptions& options, std::span<const std::string> vocabulary,
                                       LeftOut* left_out);

// Leaves out the words that min_df, max_df and max_vocabulary exclude, and their tokens. Words that stay keep their
// order, and every document stays. Among equally frequent words at the limit of max_vocabulary, those with lower
// numbers stay. Over ranks (null: this process alone) each has some documents, and all have the same vocabulary; words
// are counted over all documents. Collective.
Corpus keep_words(Corpus corpus, const TextOptions& options, LeftOut* left_out = nullptr,
                  Communicator* ranks = nullptr);

// Leaves out the stop words and their tokens. Over ranks as in keep_words.
Corpus drop_stop_words(Corpus corpus, const TextOptions& options, LeftOut& left_out, Communicator* ranks = nullptr);

// Fills in what a reader of `format` knows at its end.
void complete_report(std::span<const std::int64_t> document_offsets, const char* format, ReadReport& report);
void complete_report(const Corpus& corpus, const char* format, ReadReport& report);

}  // namespace papilio::lda
