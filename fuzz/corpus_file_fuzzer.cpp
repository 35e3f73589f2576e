#include <cstddef>
#include <cstdint>

#include "corpus_checks.h"
#include "papilio/corpus_file.h"
#include "papilio/error.h"

// The input is the file. What it holds is used whether or not its hashes fit, which hardly ever happens here.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const InputFile file(as_text(data, size));
  try {
    const papilio::MappedCorpus corpus(file.path());
    const papilio::CorpusView view = corpus.view();
    require(view.documents() == corpus.documents() && view.vocabulary_size() == corpus.vocabulary_size());
    try {
      view.verify();
    } catch (const papilio::InvalidArgument&) {
    }
    corpus.verify();
    view.verify();
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
