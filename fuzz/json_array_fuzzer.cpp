#include <cstddef>
#include <cstdint>

#include "corpus_checks.h"
#include "papilio/error.h"
#include "papilio/texts.h"

// The first byte chooses the options, its lowest bit whether documents have ids and its second whether a field is asked
// for, without which elements may be strings; the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const InputFile file(as_text(data + 1, size - 1));
  papilio::TextOptions options = options_of(data[0]);
  const papilio::TextSource source = {.path = file.path(),
                                      .form = papilio::TextForm::json_array,
                                      .text = (data[0] & 2) != 0 ? "t" : "",
                                      .id = (data[0] & 1) != 0 ? "i" : ""};
  try {
    papilio::ReadReport report;
    const papilio::Corpus corpus = papilio::read_text(source, options, &report);
    check_read(corpus, report);
    options.threads = 2;
    check_equal(papilio::read_text(source, options), corpus);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
