#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "corpus_checks.h"
#include "papilio/error.h"
#include "papilio/texts.h"

namespace {

// The records of sound JSON lines as elements of an array.
std::string array_of(std::string_view lines) {
  if (lines.starts_with("\xef\xbb\xbf")) lines.remove_prefix(3);
  std::string array = "[";
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.find('{') == std::string_view::npos) continue;
    if (array.size() > 1) array += ",\n";
    array += line;
  }
  return array + "]";
}

bool is_compressed(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace

// The first byte chooses the options, its lowest bit whether documents have ids; the rest is the file. An array of the
// same records is the same corpus.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = as_text(data + 1, size - 1);
  const InputFile file(bytes);
  papilio::TextOptions options = options_of(data[0]);
  papilio::TextSource source = {
      .path = file.path(), .form = papilio::TextForm::json_lines, .text = "t", .id = (data[0] & 1) != 0 ? "i" : ""};
  papilio::Corpus corpus;
  try {
    papilio::ReadReport report;
    corpus = papilio::read_text(source, options, &report);
    check_read(corpus, report);
    options.threads = 2;
    check_equal(papilio::read_text(source, options), corpus);
  } catch (const papilio::FormatError&) {
    return 0;
  }
  if (is_compressed(bytes)) return 0;
  const InputFile array(array_of(bytes));
  source.path = array.path();
  source.form = papilio::TextForm::json_array;
  const papilio::Corpus of_array = papilio::read_text(source, options);
  check_equal(of_array, corpus);
  require(of_array.document_names == corpus.document_names);
  return 0;
}
