#include "lda/corpus/corpus_builder.h"
#include "lda/io/text/text_source.h"

namespace papilio {

// Works in blocks, as readers do, so that only a block of tokens waits for its numbers.
Corpus corpus_from_texts(std::span<const std::string_view> texts, const TextOptions& options, ReadReport* report) {
  constexpr const char* caller = "papilio::corpus_from_texts";
  lda::require_text_options(options, caller);
  const lda::Origin origin = {caller, "the texts"};
  lda::CorpusSink sink;
  lda::TextCorpus corpus(options, sink);
  while (!texts.empty()) {
    std::size_t count = 0;
    for (std::size_t bytes = 0; count < texts.size() && bytes < corpus.block_bytes(); ++count) {
      bytes += texts[count].size() + 1;
    }
    corpus.append(texts.first(count), {origin, 0});
    texts = texts.subspan(count);
  }
  ReadReport counts;
  Corpus result = lda::finish_corpus(sink, corpus, options, "text", origin, counts);
  if (report != nullptr) *report = counts;
  return result;
}

}  // namespace papilio
