#pragma once

#include <string>
#include <string_view>

#include "lda/corpus/word_index.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/memory_limit.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// A corpus that grows word by word; words are numbered by first occurrence.
class TokenCorpus {
 public:
  explicit TokenCorpus(const TextOptions& options);

  void add(std::string_view word) { add(word, word); }

  // `folded` is what is compared with the stop words.
  void add(std::string_view word, std::string_view folded);

  bool has_stop_words() const { return !options_.stop_words.empty(); }

  void end_document() { corpus_.document_offsets.push_back(corpus_.tokens()); }
  void end_document(std::string_view name);

  std::int64_t documents() const { return corpus_.documents(); }

  // Throws FormatError at the reader's line when the corpus takes more than max_memory.
  void require_room(const LineReader& at) const;

  Corpus make_corpus(const char* format, ReadReport& report) &&;

 private:
  TextOptions options_;
  MemoryLimit memory_limit_;
  WordIndex stop_words_;
  WordIndex words_;
  Corpus corpus_;
  std::int64_t tokens_read_ = 0;
  std::int64_t name_bytes_ = 0;
};

}  // namespace papilio::lda
