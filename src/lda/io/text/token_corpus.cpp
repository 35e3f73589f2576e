#include "lda/io/text/token_corpus.h"

#include <utility>

#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/tokenizer.h"

namespace papilio::lda {

TokenCorpus::TokenCorpus(const TextOptions& options)
    : options_(options), memory_limit_(options.max_memory), stop_words_(index_stop_words(options.stop_words)) {}

void TokenCorpus::add(std::string_view word, std::string_view folded) {
  ++tokens_read_;
  if (stop_words_.find(folded) < 0) corpus_.words.push_back(words_.number(word));
}

void TokenCorpus::end_document(std::string_view name) {
  end_document();
  corpus_.document_names.emplace_back(name);
  name_bytes_ += 2 * static_cast<std::int64_t>(sizeof(std::string) + name.size());
}

void TokenCorpus::require_room(const LineReader& at) const {
  const std::int64_t bytes =
      bytes_per_token * corpus_.tokens() + bytes_per_document * corpus_.documents() + 2 * words_.memory() + name_bytes_;
  if (!memory_limit_.holds(bytes)) memory_limit_.refuse(at, corpus_.tokens(), corpus_.documents());
}

Corpus TokenCorpus::make_corpus(const char* format, ReadReport& report) && {
  corpus_.vocabulary = words_.take_words();
  report.tokens_read = tokens_read_;
  report.stop_words_dropped = tokens_read_ - corpus_.tokens();
  Corpus corpus = keep_words(std::move(corpus_), options_);
  complete_report(corpus, format, report);
  return corpus;
}

}  // namespace papilio::lda
