#include "lda/io/formats.h"
#include "lda/io/text/text_source.h"
#include "papilio/corpus_file.h"

namespace papilio {

ReadReport import_corpus(const std::string& corpus, const std::string& path, const CorpusOptions& options) {
  CorpusOptions chosen = options;
  if (chosen.format == CorpusFormat::detect && chosen.vocabulary.empty()) chosen.format = detect_corpus_format(corpus);
  const std::optional<TextForm> text =
      chosen.format == CorpusFormat::detect ? std::nullopt : lda::format_of(chosen.format).text;
  if (text && chosen.vocabulary.empty() && !chosen.first_id && !chosen.transposed) {
    return import_text(lda::text_source_of(*text, corpus, chosen), path, chosen.text);
  }
  ReadReport report;
  write_corpus_file(read_corpus(corpus, chosen, &report), path);
  return report;
}

}  // namespace papilio
