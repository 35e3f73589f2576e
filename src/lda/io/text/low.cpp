#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "lda/corpus/tokenizer.h"
#include "lda/io/bytes/fields.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/number.h"
#include "lda/io/format/format.h"
#include "lda/io/text/token_corpus.h"

namespace papilio::lda {
namespace {

// The words come from another program and stay as they are; they are folded only to compare them with stop words.
Corpus read_low(const std::string& path, const CorpusOptions& options, ReadReport& report) {
  MemoryLimit memory_limit(options.text.max_memory);
  LineReader reader({reader_name, path}, memory_limit, options.text.max_line_bytes, LineReader::default_block_bytes,
                    options.text.threads);
  std::string_view line;
  if (!reader.next_line(line))
    reader.origin().format_error(1, 0, "expected the number of documents, got an empty file");
  const FieldLine header = {reader, line, "number of documents"};
  const Fields<1> fields(line);
  header.require_all(fields);
  const std::int64_t documents = header.number(fields.text[0], "number", 0, largest_whole);
  TokenCorpus corpus(options.text, memory_limit, reader);
  Tokenizer tokenizer(1);
  while (reader.next_line(line)) {
    if (corpus.documents() == documents) {
      if (Fields<0>(line).count == 0) continue;
      reader.format_error(1, fmt::format("expected the end of the file after {} documents (line 1), got {}", documents,
                                         lda::quoted(line)));
    }
    reader.require_utf8(line);
    std::string_view rest = line;
    for (std::string_view word = next_field(rest); !word.empty(); word = next_field(rest)) {
      if (corpus.has_stop_words()) {
        corpus.require_room_for_token(word);
        corpus.add(word, tokenizer.fold(word));
      } else {
        corpus.add(word);
      }
    }
    corpus.end_document();
  }
  if (corpus.documents() < documents) {
    reader.format_error(0, fmt::format("expected {} documents (line 1), got {} before the end of the file", documents,
                                       corpus.documents()));
  }
  return std::move(corpus).make_corpus("low", report);
}

}  // namespace

extern const Format low_format = {.format = CorpusFormat::low,
                                  .name = "low",
                                  .help = "GibbsLDA++ list of words",
                                  .endings = {".low"},
                                  .read = read_low};

}  // namespace papilio::lda
