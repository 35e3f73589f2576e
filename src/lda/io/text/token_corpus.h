#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lda/corpus/word_index.h"
#include "lda/corpus/word_tally.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/memory_limit.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// A corpus that grows word by word; words are numbered by first occurrence. Its source is read in lines; `add` and
// `end_document` throw FormatError at the reader's current line if the corpus outgrows the limit.
class TokenCorpus {
 public:
  TokenCorpus(const TextOptions& options, MemoryLimit& memory_limit, const LineReader& lines);

  void add(std::string_view word) { add(word, word); }

  // `folded` is compared with the stop words.
  void add(std::string_view word, std::string_view folded);

  bool has_stop_words() const { return !options_.stop_words.empty(); }

  void end_document() {
    require_room();
    corpus_.document_offsets.push_back(corpus_.tokens());
  }
  void end_document(std::string_view name);

  std::int64_t documents() const { return corpus_.documents(); }

  // Adds what a tokenizer has left out of the text.
  void leave_out(const TokenTally& left_out);

  // Throws FormatError unless there is room to make a token from a text that has no place to cut it.
  void require_room_for_token(std::string_view text) const;

  Corpus make_corpus(const char* format, ReadReport& report) &&;

 private:
  void require_room();

  TextOptions options_;
  const LineReader& lines_;
  MemoryShare memory_;
  WordIndex stop_words_;
  WordIndex words_;
  std::vector<std::int64_t> stop_word_counts_;
  TokenTally left_out_{most_left_out_words};
  Corpus corpus_;
  std::int64_t tokens_read_ = 0;
  std::int64_t name_bytes_ = 0;
};

}  // namespace papilio::lda
