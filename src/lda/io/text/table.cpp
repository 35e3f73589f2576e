#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "lda/io/text/delimited_reader.h"
#include "lda/io/text/text_source.h"

namespace papilio::lda {
namespace {

// A number from 1 on that takes up all of the text.
std::optional<std::size_t> column_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

std::string shown(const std::vector<std::string_view>& names) {
  constexpr std::size_t most = 20;
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) first.push_back(lda::quoted(names[i]));
  return fmt::format("{}{}", fmt::join(first, ", "), names.size() > most ? ", ..." : "");
}

// The columns of the table that are used, by their places in a record.
class Columns {
 public:
  // `first` is the first record: the header or, without one, a document.
  Columns(const TextSource& source, const DelimitedReader& reader, const std::vector<std::string_view>& first)
      : header_(source.header), reader_(reader), first_(first) {
    text = source.text.empty() ? default_text() : find(source.text, names_text);
    if (!source.id.empty()) id = find(source.id, "");
  }

  std::size_t text;
  std::optional<std::size_t> id;

 private:
  static constexpr const char* names_text =
      "--text-column NAME, in Python text_column=, names the column of the text; ";

  // Names are tried first, so that a column called "2" can be reached. `hint` is part of the error.
  std::size_t find(const std::string& column, const char* hint) const {
    if (header_) {
      const auto found = std::find(first_.begin(), first_.end(), column);
      if (found != first_.end()) {
        if (std::find(found + 1, first_.end(), column) != first_.end()) {
          reader_.format_error(fmt::format("column {} is there twice; choose one by its number", lda::quoted(column)));
        }
        return static_cast<std::size_t>(found - first_.begin());
      }
    }
    const std::optional<std::size_t> number = column_number(column);
    if (number && *number <= first_.size()) return *number - 1;
    if (number) {
      reader_.format_error(fmt::format("expected at least {} columns, got {}", *number, first_.size()));
    }
    reader_.format_error(
        fmt::format("expected a column {}, got {} ({}is this a header? A table without one is read with "
                    "header = false, --no-header, and its columns have numbers)",
                    lda::quoted(column), shown(first_), hint));
  }

  std::size_t default_text() const {
    if (first_.size() == 1) return 0;
    if (!header_) {
      reader_.format_error(
          fmt::format("{} columns: choose the one that holds the text by its number (--text-column "
                      "NUMBER, in Python text_column=)",
                      first_.size()));
    }
    return find("text", names_text);
  }

  bool header_;
  const DelimitedReader& reader_;
  const std::vector<std::string_view>& first_;
};

void require_numbers_without_header(const TextSource& source, const char* caller) {
  for (const std::string& column : {source.text, source.id}) {
    base::require(source.header || column.empty() || column_number(column),
                  "{}: {}: column {} can only be found by name where the table has a header; give its number", caller,
                  source.path, lda::quoted(column));
  }
}

}  // namespace

void read_table(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus) {
  require_numbers_without_header(source, caller);
  const char delimiter = source.form == TextForm::csv ? ',' : '\t';
  DelimitedReader reader({caller, source.path}, corpus.memory_limit(), delimiter, source.quotes, options.max_line_bytes,
                         options.threads);
  std::vector<std::string_view> fields;
  if (!reader.next(fields)) {
    if (!source.header) return;
    reader.format_error("expected a header with the columns' names, got the end of the file");
  }
  const Columns columns(source, reader, fields);
  const std::size_t count = fields.size();
  const std::int64_t first_line = reader.line();
  TextBlock block(corpus, reader.origin());
  if (source.header && !reader.next(fields)) return;
  do {
    if (count > 1 && reader.is_blank()) continue;
    if (fields.size() != count) {
      reader.format_error(fmt::format("expected {} fields as on line {}, got {}", count, first_line, fields.size()));
    }
    if (columns.id) corpus.append_name(reader.utf8(fields[*columns.id], "id"));
    block.append(fields[columns.text], reader.last_line());
  } while (reader.next(fields));
  block.flush();
}

}  // namespace papilio::lda
