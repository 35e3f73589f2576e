#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "lda/io/bytes/fields.h"
#include "lda/io/counts/id_count_lines.h"
#include "lda/io/counts/matrix_writer.h"
#include "lda/io/counts/svmlight.h"
#include "lda/io/format/format.h"

namespace papilio::lda {
namespace {

enum class Labels : std::uint8_t { unknown, absent, present };

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc() && end == last;
}

}  // namespace

bool is_svmlight_label(std::string_view field) {
  for (std::size_t comma = field.find(','); comma != std::string_view::npos; comma = field.find(',')) {
    if (!is_number(field.substr(0, comma))) return false;
    field.remove_prefix(comma + 1);
  }
  return is_number(field);
}

namespace {

void read_document(IdCountLines& lines, const FieldLine& line, Labels labels) {
  std::string_view rest = line.text;
  std::string_view field = next_field(rest);
  if (labels == Labels::present) {
    if (!is_svmlight_label(field)) line.refuse(field, fmt::format("{} is not a label", lda::quoted(field)));
    field = next_field(rest);
  }
  if (field.starts_with("qid:")) field = next_field(rest);
  for (; !field.empty(); field = next_field(rest)) lines.add_pair(line, field);
  lines.end_document();
}

Corpus read_svmlight(const std::string& path, const CorpusOptions& options, ReadReport& report) {
  IdCountLines lines(path, options, {options.first_id, 0});
  Labels labels = Labels::unknown;
  std::int64_t empty_lines = 0;  // before the first line that shows whether lines have labels
  std::string_view line;
  while (lines.next_line(line)) {
    const std::size_t comment = line.find('#');
    const std::string_view content = line.substr(0, comment);
    const Fields<1> fields(content);
    if (fields.count > 0 && labels == Labels::unknown) {
      labels = fields.text[0].find(':') == std::string_view::npos ? Labels::present : Labels::absent;
      for (; labels == Labels::absent && empty_lines > 0; --empty_lines) lines.end_document();
    }
    if (fields.count > 0) {
      read_document(lines, {lines.reader(), content, "label id:count ..."}, labels);
    } else if (comment == std::string_view::npos) {  // nothing, or a document with neither label nor words
      if (labels == Labels::absent) lines.end_document();
      if (labels == Labels::unknown) ++empty_lines;
    }
  }
  return std::move(lines).make_corpus("svmlight", report);
}

void write_svmlight(const CorpusView& corpus, const std::string& path, const std::string& vocabulary) {
  const auto write_body = [&](AtomicFile& file) {
    fmt::memory_buffer line;
    for_each_document(corpus, [&](std::span<const WordCount> counts) {
      line.clear();
      line.push_back('0');
      for (const auto& [word, count] : counts) fmt::format_to(std::back_inserter(line), " {}:{}", word + 1, count);
      line.push_back('\n');
      file.write(line.data(), line.size());
    });
  };
  write_matrix(corpus, path, vocabulary, write_body, writer_name);
}

}  // namespace

extern const Format svmlight_format = {.format = CorpusFormat::svmlight,
                                       .name = "svmlight",
                                       .help = "SVMlight, libsvm",
                                       .endings = {".svmlight", ".svm", ".libsvm"},
                                       .has_vocabulary_file = true,
                                       .has_ids = true,
                                       .read = read_svmlight,
                                       .write = write_svmlight};

}  // namespace papilio::lda
