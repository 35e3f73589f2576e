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
  // Every token that was read and is not kept is told, with its reason.
  using enum papilio::LeftOutReason;
  require(report.left_out[stop_word].tokens == report.stop_words_dropped);
  require(report.left_out[min_df].tokens + report.left_out[max_df].tokens + report.left_out[max_vocabulary].tokens ==
          report.rare_or_common_dropped);
  for (const papilio::LeftOutWords& words : report.left_out.reasons) {
    require(words.tokens >= words.words || words.tokens == 0);
    require(words.examples.size() <= 3);
  }
  require(papilio::describe(report.left_out).empty() == (report.left_out == papilio::LeftOut()));
  require(report.empty_documents >= 0 && report.empty_documents <= report.documents);
}

inline void check_equal(const papilio::Corpus& a, const papilio::Corpus& b) {
  require(a.document_offsets == b.document_offsets && a.words == b.words && a.vocabulary == b.vocabulary);
}

// Options chosen by one byte of the input.
inline papilio::TextOptions options_of(std::uint8_t choice) {
  papilio::TextOptions options;
  options.min_token_length = 1 + choice % 3;
  // Chosen by the two bits that nothing else uses, beside the length.
  switch ((choice >> 2) % 4) {
    case 1:
      options.words = papilio::WordRule::mixed;
      break;
    case 2:
      options.token_pattern = "(\\w)(\\w*)|[^a-m]+|x*y?";
      break;
    case 3:
      options.words = papilio::icu_version().empty() ? papilio::WordRule::numbers : papilio::WordRule::icu;
      break;
    default:
      break;
  }
  if ((choice & 0x10) != 0) options.stop_words = {"the", "2", "caf\u00e9"};
  if ((choice & 0x20) != 0) options.min_df = 2;
  if ((choice & 0x40) != 0) options.max_df = 0.5;
  if ((choice & 0x80) != 0) options.max_vocabulary = 3;
  options.max_line_bytes = 1 << 20;
  options.max_memory = 1 << 26;
  options.threads = 1;
  return options;
}
