#include <cstddef>
#include <cstdint>

#include "corpus_checks.h"
#include "papilio/error.h"
#include "papilio/texts.h"

// The first byte chooses the options, the second the form, the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const InputFile file(as_text(data + 2, size - 2));
  papilio::TextOptions options = options_of(data[0]);
  const std::uint8_t choice = data[1];
  const papilio::TextSource source = {.path = file.path(),
                                      .form = (choice & 1) != 0 ? papilio::TextForm::tsv : papilio::TextForm::csv,
                                      .text = (choice & 2) != 0 ? "1" : "",
                                      .id = (choice & 4) != 0 ? "2" : "",
                                      .header = (choice & 8) == 0,
                                      .quotes = (choice & 16) == 0};
  try {
    papilio::ReadReport report;
    const papilio::Corpus corpus = papilio::read_text(source, options, &report);
    check_read(corpus, report);
    require(corpus.document_names.empty() || std::ssize(corpus.document_names) == corpus.documents());
    options.threads = 2;
    check_equal(papilio::read_text(source, options), corpus);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
