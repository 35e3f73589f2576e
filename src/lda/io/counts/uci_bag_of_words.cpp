#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/phrases.h"
#include "lda/io/bytes/fields.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/number.h"
#include "lda/io/counts/bag_of_words.h"
#include "lda/io/counts/entry_lines.h"
#include "lda/io/counts/vocabulary_file.h"
#include "lda/io/format/format.h"
#include "papilio/corpus.h"

namespace papilio {
namespace lda {
namespace {

constexpr const char* caller = "papilio::read_uci_bag_of_words";

struct UciHeader {
  std::int64_t documents = 0;
  std::int64_t words = 0;
  std::int64_t entries = 0;
};

std::int64_t read_header_number(LineReader& reader, const char* what, std::int64_t most) {
  const std::string expected = fmt::format("expected the number of {}", what);
  std::string_view line;
  if (!reader.next_line(line)) {
    reader.origin().format_error(reader.line_number() + 1, 0, expected + ", got the end of the file");
  }
  const Fields<1> fields(line);
  std::int64_t number = 0;
  if (fields.count != 1 || parse_whole(fields.text[0], number) != NumberForm::whole || number < 0 || number > most) {
    const std::string_view place = fields.count == 0 ? line : fields.text[fields.count == 1 ? 0 : 1];
    reader.format_error(place.data() - line.data() + 1,
                        fmt::format("{} (0 to {}), got {}", expected, most, quoted(line)));
  }
  return number;
}

UciHeader read_header(LineReader& reader) {
  UciHeader header;
  header.documents = read_header_number(reader, "documents, D", largest_whole);
  header.words = read_header_number(reader, "words, W", most_words);
  header.entries = read_header_number(reader, "entries, NNZ", largest_whole);
  return header;
}

void read_entry(const LineReader& reader, std::string_view text, const UciHeader& header, BagOfWords& bag) {
  const FieldLine line = {reader, text, "document word count"};
  const Fields<3> fields(text);
  line.require_all(fields);
  const std::int64_t document = line.number(fields.text[0], "document", 1, header.documents) - 1;
  const std::int64_t word = line.number(fields.text[1], "word", 1, header.words) - 1;
  bag.add(document, word, line.number(fields.text[2], "count", 1, most_count));
}

void read_body(LineReader& reader, const UciHeader& header, int threads, BagOfWords& bag) {
  EntryLines plain(reader, {.largest_first = header.documents, .largest_second = header.words}, threads);
  std::string_view line;
  const auto next_line = [&] {
    while (plain.add_to(bag, header.entries - bag.entries()) > 0) continue;
    return reader.next_line(line);
  };
  while (next_line()) {
    if (bag.entries() == header.entries) {
      if (Fields<0>(line).count == 0) continue;  // empty lines at the end hold nothing
      reader.format_error(1, fmt::format("expected the end of the file after {} entries (line 3: NNZ), got {}",
                                         header.entries, quoted(line)));
    }
    read_entry(reader, line, header, bag);
    bag.require_room(reader, 0);
  }
  if (bag.entries() < header.entries) {
    reader.format_error(0, fmt::format("expected {} entries (line 3: NNZ), got {} before the end of the file",
                                       header.entries, bag.entries()));
  }
}

Corpus read_uci(const std::string& path, const CorpusOptions& options, ReadReport& report) {
  return read_uci_bag_of_words(path, options.vocabulary, options.text, &report);
}

}  // namespace

extern const Format uci_format = {.format = CorpusFormat::uci,
                                  .name = "uci",
                                  .help = "UCI bag of words",
                                  .endings = {".uci"},
                                  .has_vocabulary_file = true,
                                  .read = read_uci,
                                  .write = write_uci_bag_of_words};

}  // namespace lda

Corpus read_uci_bag_of_words(const std::string& docword, const std::string& vocabulary, const TextOptions& options,
                             ReadReport* report) {
  using namespace lda;
  require_text_options(options, caller);
  require_no_phrases(options, caller, "a bag of words");
  base::require(docword != "-" || vocabulary != "-", "{}: docword and vocabulary cannot both be standard input",
                caller);
  MemoryLimit memory_limit(options.max_memory);
  MemoryShare vocabulary_memory(memory_limit);
  LineReader reader({caller, docword}, memory_limit, options.max_line_bytes,
                    entry_block_bytes(memory_limit, options.threads), options.threads);
  const UciHeader header = read_header(reader);
  const bool named = !vocabulary.empty();
  std::vector<std::string> words;
  if (named) {
    words = read_vocabulary({caller, vocabulary}, options, vocabulary_memory, header.words,
                            fmt::format("line 2 of {}: W", reader.origin().name()));
  }
  BagOfWords bag(options, memory_limit);
  read_body(reader, header, options.threads, bag);
  require_believable(reader.origin(), {header.documents, 1, header.words, 2}, named, bag);
  if (!named) words = numbers_as_words(1, header.words);
  ReadReport counts;
  Corpus corpus = std::move(bag).make_corpus(reader.origin(), header.documents, std::move(words), 0, "uci", counts);
  if (report != nullptr) *report = counts;
  return corpus;
}

}  // namespace papilio
