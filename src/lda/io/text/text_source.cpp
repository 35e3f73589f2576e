#include "lda/io/text/text_source.h"

#include "base/check.h"
#include "lda/corpus/corpus_builder.h"

namespace papilio {
namespace lda {

void read_text_source(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus,
                      const FilePart* part) {
  base::require(source.form <= TextForm::folder,
                "{}: {}: unknown form of text {}, expected lines, csv, tsv, json_lines, json_array or folder", caller,
                source.path, static_cast<int>(source.form));
  const bool has_fields = source.form != TextForm::lines && source.form != TextForm::folder;
  base::require(has_fields || (source.text.empty() && source.id.empty()),
                "{}: {}: {} has no columns or fields, but \"{}\" is asked for", caller, source.path,
                format_name(source.form), source.text.empty() ? source.id : source.text);
  switch (source.form) {
    case TextForm::lines:
      return read_lines(source, options, caller, corpus, part);
    case TextForm::csv:
    case TextForm::tsv:
      return read_table(source, options, caller, corpus);
    case TextForm::json_lines:
      return read_json_lines(source, options, caller, corpus, part);
    case TextForm::json_array:
      return read_json_array(source, options, caller, corpus);
    case TextForm::folder:
      return read_folder(source, options, caller, corpus);
  }
}

const char* format_name(TextForm form) {
  switch (form) {
    case TextForm::lines:
      return "text";
    case TextForm::csv:
      return "csv";
    case TextForm::tsv:
      return "tsv";
    case TextForm::json_lines:
      return "jsonl";
    case TextForm::json_array:
      return "json";
    case TextForm::folder:
      return "folder";
  }
  return "unknown";
}

Corpus finish_corpus(CorpusSink& sink, TextCorpus& text, const TextOptions& options, const char* format,
                     const Origin& origin, ReadReport& report) {
  Corpus corpus = sink.take();
  if (options.phrases.used()) {
    CorpusSink joined;
    const auto words = [&](base::FunctionRef<void(std::span<const std::int32_t>)> use) { use(corpus.words); };
    std::vector<std::string> vocabulary = join_text_phrases(text, corpus.document_offsets, words, joined, origin);
    corpus = joined.take();
    corpus.vocabulary = std::move(vocabulary);
  } else {
    corpus.vocabulary = text.take_words();
  }
  corpus.document_names = text.take_names();
  text.complete_report();
  report = text.report();
  report.stop_words_dropped = report.tokens_read - report.tokens_joined - corpus.tokens();
  corpus = keep_words(std::move(corpus), options, &report.left_out);
  complete_report(corpus, format, report);
  return corpus;
}

Corpus read_documents(const TextSource& source, const TextOptions& options, const char* caller, ReadReport& report) {
  require_text_options(options, caller);
  CorpusSink sink;
  TextCorpus text(options, sink);
  read_text_source(source, options, caller, text);
  return finish_corpus(sink, text, options, format_name(source.form), {caller, source.path}, report);
}

}  // namespace lda

Corpus read_text(const TextSource& source, const TextOptions& options, ReadReport* report) {
  ReadReport counts;
  Corpus corpus = lda::read_documents(source, options, "papilio::read_text", counts);
  if (report != nullptr) *report = counts;
  return corpus;
}

Corpus read_lines_of_text(const std::string& path, const TextOptions& options, ReadReport* report) {
  ReadReport counts;
  Corpus corpus = lda::read_documents({.path = path}, options, "papilio::read_lines_of_text", counts);
  if (report != nullptr) *report = counts;
  return corpus;
}

}  // namespace papilio
