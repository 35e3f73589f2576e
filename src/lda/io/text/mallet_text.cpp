#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "lda/corpus/tokenizer.h"
#include "lda/io/bytes/fields.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/format/format.h"
#include "lda/io/text/token_corpus.h"

namespace papilio::lda {
namespace {

Corpus read_mallet(const std::string& path, const CorpusOptions& options, ReadReport& report) {
  LineReader reader({reader_name, path}, options.text.max_line_bytes);
  TokenCorpus corpus(options.text);
  Tokenizer tokenizer(options.text.min_token_length, options.text.fold_case);
  Tokenizer folding(1);
  const bool folds_for_stop_words = corpus.has_stop_words() && !options.text.fold_case;
  std::string_view text;
  while (reader.next_line(text)) {
    const FieldLine line = {reader, text, "name label text"};
    std::string_view rest = text;
    const std::string_view name = next_field(rest);
    if (name.empty()) line.refuse(text, "no name");
    if (next_field(rest).empty()) line.refuse(text.substr(text.size()), "no label");
    reader.require_utf8(text.substr(0, text.size() - rest.size()));
    report.invalid_utf8 += tokenizer.tokenize(rest, [&](std::string_view word) {
      folds_for_stop_words ? corpus.add(word, folding.fold(word)) : corpus.add(word);
    });
    corpus.end_document(name);
    corpus.require_room(reader);
  }
  return std::move(corpus).make_corpus("mallet", report);
}

}  // namespace

extern const Format mallet_format = {.format = CorpusFormat::mallet,
                                     .name = "mallet",
                                     .help = "MALLET's lines: name, label, text",
                                     .endings = {".mallet"},
                                     .read = read_mallet};

}  // namespace papilio::lda
