#include <cstddef>
#include <cstdint>

#include "corpus_checks.h"
#include "papilio/error.h"

// The first byte chooses the options, the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const InputFile file(as_text(data + 1, size - 1));
  papilio::TextOptions options = options_of(data[0]);
  try {
    papilio::ReadReport report;
    const papilio::Corpus corpus = papilio::read_lines_of_text(file.path(), options, &report);
    check_read(corpus, report);
    options.threads = 2;
    check_equal(papilio::read_lines_of_text(file.path(), options), corpus);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
