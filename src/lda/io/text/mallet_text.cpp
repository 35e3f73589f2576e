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

constexpr std::size_t part_bytes = std::size_t{1} << 16;

Corpus read_mallet(const std::string& path, const CorpusOptions& options, ReadReport& report) {
  MemoryLimit memory_limit(options.text.max_memory);
  LineReader reader({reader_name, path}, memory_limit, options.text.max_line_bytes, LineReader::default_block_bytes,
                    options.text.threads);
  TokenCorpus corpus(options.text, memory_limit, reader);
  Tokenizer tokenizer(options.text);
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
    while (!rest.empty()) {
      const std::string_view part = rest.substr(0, tokenizer.part_size(rest, part_bytes));
      corpus.require_room_for_token(part);
      report.invalid_utf8 += tokenizer.tokenize(part, [&](std::string_view word) {
        folds_for_stop_words ? corpus.add(word, folding.fold(word)) : corpus.add(word);
      });
      corpus.leave_out(tokenizer.left_out());
      tokenizer.left_out().clear();
      rest.remove_prefix(part.size());
    }
    corpus.end_document(name);
  }
  if (options.text.words == WordRule::icu) report.icu_version = icu_version();
  return std::move(corpus).make_corpus("mallet", report);
}

}  // namespace

extern const Format mallet_format = {.format = CorpusFormat::mallet,
                                     .name = "mallet",
                                     .help = "MALLET's lines: name, label, text",
                                     .endings = {".mallet"},
                                     .read = read_mallet};

}  // namespace papilio::lda
