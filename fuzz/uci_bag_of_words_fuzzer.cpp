#include <cstddef>
#include <cstdint>

#include "corpus_checks.h"
#include "papilio/error.h"

// The first byte chooses the options; then docword, and after a 0 byte the
// vocabulary, if there is one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = as_text(data + 1, size - 1);
  const std::size_t zero = text.find('\0');
  const InputFile docword(text.substr(0, zero));
  const InputFile vocabulary(zero == std::string_view::npos ? std::string_view() : text.substr(zero + 1));
  const std::string vocabulary_path = zero == std::string_view::npos ? "" : vocabulary.path();
  papilio::TextOptions options = options_of(data[0]);
  try {
    papilio::ReadReport report;
    const papilio::Corpus corpus = papilio::read_uci_bag_of_words(docword.path(), vocabulary_path, options, &report);
    check_read(corpus, report);
    options.threads = 2;
    check_equal(papilio::read_uci_bag_of_words(docword.path(), vocabulary_path, options), corpus);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
