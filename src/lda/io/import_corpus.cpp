#include "lda/io/formats.h"
#include "lda/io/text/text_source.h"
#include "papilio/corpus_file.h"

namespace papilio {

std::optional<TextSource> find_texts(const std::string& path, const CorpusOptions& options) {
  CorpusOptions chosen = options;
  if (chosen.format == CorpusFormat::detect && chosen.vocabulary.empty()) chosen.format = detect_corpus_format(path);
  const std::optional<TextForm> text =
      chosen.format == CorpusFormat::detect ? std::nullopt : lda::format_of(chosen.format).text;
  if (!text || !chosen.vocabulary.empty() || chosen.first_id || chosen.transposed) return std::nullopt;
  return lda::text_source_of(*text, path, chosen);
}

ReadReport import_corpus(const std::string& corpus, const std::string& path, const CorpusOptions& options) {
  const std::optional<TextSource> texts = find_texts(corpus, options);
  if (texts) return import_text(*texts, path, options.text);
  ReadReport report;
  write_corpus_file(read_corpus(corpus, options, &report), path);
  return report;
}

}  // namespace papilio
