#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lda/io/bytes/fields.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/number.h"
#include "lda/io/counts/bag_of_words.h"
#include "lda/io/counts/entry_lines.h"
#include "lda/io/counts/matrix_writer.h"
#include "lda/io/counts/vocabulary_file.h"
#include "lda/io/format/format.h"

namespace papilio::lda {
namespace {

struct MatrixHeader {
  bool pattern = false;  // entries have no values: each is a count of 1
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  std::int64_t line = 0;  // of the sizes
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> names) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::find(names.begin(), names.end(), lower) != names.end();
}

// Returns whether the entries have no values.
bool read_banner(LineReader& reader) {
  std::string_view text;
  if (!reader.next_line(text)) reader.origin().format_error(1, 0, "expected \"%%MatrixMarket ...\", got an empty file");
  const FieldLine line = {reader, text, "%%MatrixMarket matrix coordinate real|integer|pattern general"};
  const Fields<5> fields(text);
  if (fields.count == 0 || !is_one_of(fields.text[0], {"%%matrixmarket"})) line.refuse(text, "not Matrix Market");
  line.require_all(fields);
  const auto require = [&](std::size_t i, std::initializer_list<std::string_view> names, const char* reason) {
    if (!is_one_of(fields.text[i], names)) line.refuse(fields.text[i], reason);
  };
  require(1, {"matrix"}, "only matrices are read");
  require(2, {"coordinate"}, "only sparse matrices are read");
  require(3, {"real", "double", "integer", "unsigned-integer", "pattern"}, "counts are real or integer");
  require(4, {"general"}, "counts of words are not symmetric");
  return is_one_of(fields.text[3], {"pattern"});
}

MatrixHeader read_header(LineReader& reader, bool transposed) {
  MatrixHeader header;
  header.pattern = read_banner(reader);
  std::string_view text;
  while (reader.next_line(text)) {
    const Fields<3> fields(text);
    if (fields.count == 0 || fields.text[0].starts_with('%')) continue;
    const FieldLine line = {reader, text, "rows columns entries"};
    line.require_all(fields);
    header.rows = line.number(fields.text[0], "rows", 0, transposed ? most_words : largest_whole);
    header.columns = line.number(fields.text[1], "columns", 0, transposed ? largest_whole : most_words);
    header.entries = line.number(fields.text[2], "entries", 0, largest_whole);
    header.line = reader.line_number();
    return header;
  }
  reader.origin().format_error(reader.line_number() + 1, 0,
                               "expected \"rows columns entries\", got the end of the file");
}

void read_body(LineReader& reader, const MatrixHeader& header, const CorpusOptions& options, const MemoryLimit& limit,
               BagOfWords& bag) {
  const bool transposed = options.transposed;
  const EntryShape shape = {.largest_first = header.rows,
                            .largest_second = header.columns,
                            .least_count = 0,
                            .has_count = !header.pattern,
                            .transposed = transposed};
  EntryLines plain(reader, shape, limit, options.text.threads);
  std::int64_t entries = 0;
  std::string_view text;
  const auto next_line = [&] {
    while (const std::int64_t lines = plain.add_to(bag, header.entries - entries)) entries += lines;
    return reader.next_line(text);
  };
  while (next_line()) {
    if (Fields<0>(text).count == 0) continue;
    if (entries == header.entries) {
      reader.format_error(1, fmt::format("expected the end of the file after {} entries (line {}), got {}",
                                         header.entries, header.line, lda::quoted(text)));
    }
    const FieldLine line = {reader, text, header.pattern ? "row column" : "row column count"};
    const Fields<3> fields(text);
    if (header.pattern) {
      line.require_all(Fields<2>(text));
    } else {
      line.require_all(fields);
    }
    const std::int64_t row = line.number(fields.text[0], "row", 1, header.rows) - 1;
    const std::int64_t column = line.number(fields.text[1], "column", 1, header.columns) - 1;
    const std::int64_t count = header.pattern ? 1 : line.number(fields.text[2], "count", 0, most_count);
    if (count > 0) bag.add(transposed ? column : row, transposed ? row : column, count);
    bag.require_room(reader, 0);
    ++entries;
  }
  if (entries < header.entries) {
    reader.format_error(0, fmt::format("expected {} entries (line {}), got {} before the end of the file",
                                       header.entries, header.line, entries));
  }
}

Corpus read_matrix_market(const std::string& path, const CorpusOptions& options, ReadReport& report) {
  MemoryLimit memory_limit(options.text.max_memory);
  MemoryShare vocabulary_memory(memory_limit);
  LineReader reader({reader_name, path}, memory_limit, options.text.max_line_bytes, entry_block_bytes(memory_limit),
                    options.text.threads);
  const MatrixHeader header = read_header(reader, options.transposed);
  const std::int64_t documents = options.transposed ? header.columns : header.rows;
  const std::int64_t words = options.transposed ? header.rows : header.columns;
  const bool named = !options.vocabulary.empty();
  std::vector<std::string> vocabulary;
  if (named) {
    vocabulary = read_vocabulary({reader_name, options.vocabulary}, options.text, vocabulary_memory, words,
                                 fmt::format("line {} of {}", header.line, reader.origin().name()));
  }
  BagOfWords bag(options.text, memory_limit);
  read_body(reader, header, options, memory_limit, bag);
  require_believable(reader.origin(), {documents, header.line, words, header.line}, named, bag);
  if (!named) vocabulary = numbers_as_words(1, words);
  return std::move(bag).make_corpus(reader.origin(), documents, std::move(vocabulary), 0, "mtx", report);
}

void write_matrix_market(const CorpusView& corpus, const std::string& path, const std::string& vocabulary) {
  const auto write_body = [&](AtomicFile& file) {
    file.write(fmt::format("%%MatrixMarket matrix coordinate integer general\n{} {} {}\n", corpus.documents(),
                           corpus.vocabulary_size(), count_entries(corpus)));
    write_entries(corpus, file);
  };
  write_matrix(corpus, path, vocabulary, write_body, writer_name);
}

}  // namespace

extern const Format matrix_market_format = {.format = CorpusFormat::matrix_market,
                                            .name = "mtx",
                                            .help = "Matrix Market",
                                            .endings = {".mtx", ".mm"},
                                            .has_vocabulary_file = true,
                                            .is_matrix = true,
                                            .read = read_matrix_market,
                                            .write = write_matrix_market};

}  // namespace papilio::lda
