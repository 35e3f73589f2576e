#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lda/io/bytes/fields.h"
#include "lda/io/bytes/number.h"
#include "lda/io/counts/id_count_lines.h"
#include "lda/io/counts/matrix_writer.h"
#include "lda/io/format/format.h"

namespace papilio::lda {

namespace {

constexpr const char* shape_of_line = "M id:count ...";

void read_document(IdCountLines& lines, const FieldLine& line) {
  std::string_view rest = line.text;
  const std::string_view size = next_field(rest);
  const std::int64_t expected = line.number(size, "M", 0, largest_whole);
  std::int64_t pairs = 0;
  for (std::string_view pair = next_field(rest); !pair.empty(); pair = next_field(rest), ++pairs) {
    lines.add_pair(line, pair);
  }
  if (pairs != expected) line.refuse(size, fmt::format("M is {}, but {} pairs follow", expected, pairs));
  lines.end_document();
}

Corpus read_ldac(const std::string& path, const CorpusOptions& options, ReadReport& report) {
  IdCountLines lines(path, options, {options.first_id.value_or(0), 1});
  std::int64_t blank_line = 0;  // allowed at the end of the file only
  std::string_view line;
  while (lines.next_line(line)) {
    if (Fields<0>(line).count == 0) {
      if (blank_line == 0) blank_line = lines.reader().line_number();
    } else if (blank_line == 0) {
      read_document(lines, {lines.reader(), line, shape_of_line});
    } else {
      lines.reader().origin().format_error(
          blank_line, 1,
          fmt::format("expected \"{}\", got an empty line (a document without words is \"0\")", shape_of_line));
    }
  }
  return std::move(lines).make_corpus("ldac", report);
}

void write_ldac(const CorpusView& corpus, const std::string& path, const std::string& vocabulary) {
  const auto write_body = [&](AtomicFile& file) {
    fmt::memory_buffer line;
    for_each_document(corpus, [&](std::span<const WordCount> counts) {
      line.clear();
      fmt::format_to(std::back_inserter(line), "{}", counts.size());
      for (const auto& [word, count] : counts) fmt::format_to(std::back_inserter(line), " {}:{}", word, count);
      line.push_back('\n');
      file.write(line.data(), line.size());
    });
  };
  write_matrix(corpus, path, vocabulary, write_body, writer_name);
}

}  // namespace

extern const Format ldac_format = {.format = CorpusFormat::ldac,
                                   .name = "ldac",
                                   .help = "LDA-C",
                                   .endings = {".ldac", ".lda-c", ".blei"},
                                   .has_vocabulary_file = true,
                                   .has_ids = true,
                                   .read = read_ldac,
                                   .write = write_ldac};

}  // namespace papilio::lda
