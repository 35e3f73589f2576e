#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "corpus_checks.h"
#include "papilio/error.h"
#include "papilio/texts.h"

// The first byte chooses the options, the rest are texts, a line each; they must give what the same lines of a file
// give. There the first line is empty, so that no text passes for a byte-order mark or the beginning of a compressed
// stream.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view rest = as_text(data + 1, size - 1);
  std::vector<std::string_view> texts = {""};
  std::string lines = "\n";
  while (!rest.empty()) {
    texts.push_back(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), texts.back().size() + 1));
    lines.append(texts.back()).append("\n");
  }
  const InputFile file(lines);
  papilio::TextOptions options = options_of(data[0]);
  try {
    papilio::ReadReport report;
    const papilio::Corpus corpus = papilio::corpus_from_texts(texts, options, &report);
    check_read(corpus, report);
    check_equal(papilio::read_lines_of_text(file.path(), options), corpus);
    options.threads = 2;
    check_equal(papilio::corpus_from_texts(texts, options), corpus);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
