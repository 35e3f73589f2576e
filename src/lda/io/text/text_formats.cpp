#include "base/check.h"
#include "lda/io/format/format.h"
#include "lda/io/text/text_source.h"

namespace papilio::lda {
namespace {

template <TextForm form>
Corpus read(const std::string& path, const CorpusOptions& options, ReadReport& report) {
  return read_documents(text_source_of(form, path, options), options.text, reader_name, report);
}

template <TextForm form>
Corpus read_parts(const std::string& path, const CorpusOptions& options, ReadReport& report, Communicator& ranks) {
  return read_parts_of_documents(text_source_of(form, path, options), options.text, reader_name, report, ranks);
}

void write_text(const CorpusView& corpus, const std::string& path, const std::string& vocabulary) {
  base::require(vocabulary.empty(), "{}: a vocabulary was given, but text has none of its own", writer_name);
  write_lines_of_text(corpus, path);
}

}  // namespace

TextSource text_source_of(TextForm form, const std::string& path, const CorpusOptions& options) {
  return {.path = path,
          .form = form,
          .text = options.text_column,
          .id = options.id_column,
          .header = options.header,
          .quotes = options.quotes};
}

extern const Format text_format = {.format = CorpusFormat::text,
                                   .name = "text",
                                   .help = "plain text, one document per line",
                                   .text = TextForm::lines,
                                   .read = read<TextForm::lines>,
                                   .read_parts = read_parts<TextForm::lines>,
                                   .write = write_text};
extern const Format csv_format = {.format = CorpusFormat::csv,
                                  .name = "csv",
                                  .help = "comma-separated values, one document per record",
                                  .endings = {".csv"},
                                  .text = TextForm::csv,
                                  .read = read<TextForm::csv>};
extern const Format tsv_format = {.format = CorpusFormat::tsv,
                                  .name = "tsv",
                                  .help = "tab-separated values, one document per record",
                                  .endings = {".tsv"},
                                  .text = TextForm::tsv,
                                  .read = read<TextForm::tsv>};
extern const Format json_lines_format = {.format = CorpusFormat::json_lines,
                                         .name = "jsonl",
                                         .help = "one JSON object per line",
                                         .endings = {".jsonl", ".ndjson", ".json"},
                                         .text = TextForm::json_lines,
                                         .read = read<TextForm::json_lines>,
                                         .read_parts = read_parts<TextForm::json_lines>};
extern const Format json_array_format = {.format = CorpusFormat::json_array,
                                         .name = "json",
                                         .help = "one JSON array of objects or strings",
                                         .text = TextForm::json_array,
                                         .read = read<TextForm::json_array>};
extern const Format folder_format = {.format = CorpusFormat::folder,
                                     .name = "folder",
                                     .help = "one text file per document",
                                     .text = TextForm::folder,
                                     .read = read<TextForm::folder>};

}  // namespace papilio::lda
