#include "lda/io/content.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lda/io/bytes/fields.h"
#include "lda/io/bytes/number.h"
#include "lda/io/counts/svmlight.h"

namespace papilio::lda {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "id:count", where the count is any number: the reader will say what is wrong with it.
bool is_pair(std::string_view field) {
  const std::size_t colon = field.find(':');
  std::int64_t count = 0;
  return colon != std::string_view::npos && is_digits(field.substr(0, colon)) &&
         parse_whole(field.substr(colon + 1), count) != NumberForm::none;
}

bool is_integer(std::string_view line) {
  const Fields<1> fields(line);
  return fields.count == 1 && is_digits(fields.text[0]);
}

// Which formats the pairs of a line allow.
struct Pairs {
  bool ldac;
  bool svmlight;
  std::int64_t count;
};

Pairs pairs_of(std::string_view line) {
  std::string_view rest = line.substr(0, line.find('#'));
  const std::string_view first = next_field(rest);
  if (first.empty()) return {true, true, 0};
  const bool begins_with_pair = is_pair(first);
  Pairs pairs = {is_digits(first), begins_with_pair || is_svmlight_label(first), begins_with_pair ? 1 : 0};
  for (std::string_view field = next_field(rest); !field.empty(); field = next_field(rest)) {
    if (!is_pair(field) && !field.starts_with("qid:")) return {false, false, 0};
    ++pairs.count;
  }
  std::int64_t size = 0;
  pairs.ldac = pairs.ldac && parse_whole(first, size) == NumberForm::whole && size == pairs.count;
  return pairs;
}

std::vector<std::string_view> lines_of(std::string_view bytes, bool whole) {
  std::vector<std::string_view> lines;
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    lines.push_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  if (whole && !bytes.empty()) lines.push_back(bytes);
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

std::string_view without_mark(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  return bytes;
}

// The bytes from the first on that is no blank.
std::string_view after_blanks(std::string_view bytes) {
  return bytes.substr(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
}

// "[", then "{" or a quotation mark: hardly any text begins like that.
bool is_json_array(std::string_view bytes) {
  const std::string_view array = after_blanks(bytes);
  if (!array.starts_with('[')) return false;
  const std::string_view element = after_blanks(array.substr(1));
  return element.starts_with('{') || element.starts_with('"');
}

}  // namespace

CorpusFormat format_of_content(std::string_view bytes, bool whole) {
  bytes = without_mark(bytes);
  if (bytes.starts_with("%%MatrixMarket")) return CorpusFormat::matrix_market;
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) return CorpusFormat::npz;
  if (is_json_array(bytes)) return CorpusFormat::json_array;
  const std::vector<std::string_view> lines = lines_of(bytes, whole);
  if (lines.size() >= 3 && std::all_of(lines.begin(), lines.begin() + 3, is_integer)) return CorpusFormat::uci;
  Pairs all = {true, true, 0};
  for (const std::string_view line : lines) {
    const Pairs pairs = pairs_of(line);
    all = {all.ldac && pairs.ldac, all.svmlight && pairs.svmlight, all.count + pairs.count};
  }
  if (all.count == 0) return CorpusFormat::text;
  return all.ldac ? CorpusFormat::ldac : all.svmlight ? CorpusFormat::svmlight : CorpusFormat::text;
}

bool begins_as_json_array(std::string_view bytes) { return after_blanks(without_mark(bytes)).starts_with('['); }

}  // namespace papilio::lda
