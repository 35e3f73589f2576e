#pragma once

#include "input_file.h"
#include "papilio/corpus.h"

// What holds of every corpus that a reader returns, whatever the file.
inline void check_read(const papilio::Corpus& corpus, const papilio::ReadReport& report) {
  corpus.verify();
  require(report.documents == corpus.documents());
  require(report.tokens_kept == corpus.tokens());
  require(report.tokens_read == report.tokens_kept + report.stop_words_dropped + report.rare_or_common_dropped);
  require(report.stop_words_dropped >= 0 && report.rare_or_common_dropped >= 0 && report.invalid_utf8 >= 0);
  require(report.empty_documents >= 0 && report.empty_documents <= report.documents);
}

inline void check_equal(const papilio::Corpus& a, const papilio::Corpus& b) {
  require(a.document_offsets == b.document_offsets && a.words == b.words && a.vocabulary == b.vocabulary);
}

// Options chosen by one byte of the input.
inline papilio::TextOptions options_of(std::uint8_t choice) {
  papilio::TextOptions options;
  options.min_token_length = 1 + choice % 3;
  if ((choice & 0x10) != 0) options.stop_words = {"the", "2", "caf\u00e9"};
  if ((choice & 0x20) != 0) options.min_df = 2;
  if ((choice & 0x40) != 0) options.max_df = 0.5;
  if ((choice & 0x80) != 0) options.max_vocabulary = 3;
  options.max_line_bytes = 1 << 20;
  options.max_memory = 1 << 26;
  options.threads = 1;
  return options;
}
