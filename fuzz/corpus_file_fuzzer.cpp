#include <cstddef>
#include <cstdint>

#include "corpus_checks.h"
#include "papilio/corpus_file.h"
#include "papilio/error.h"
#include "sound_hashes.h"

namespace {

// What a damaged file holds is used, too: its hashes are looked at when they are asked for.
void check_mapped(const std::string& path) {
  const papilio::MappedCorpus corpus(path);
  const papilio::CorpusView view = corpus.view();
  require(view.documents() == corpus.documents() && view.vocabulary_size() == corpus.vocabulary_size());
  try {
    view.verify();
  } catch (const papilio::InvalidArgument&) {
  }
  corpus.verify();
  view.verify();
}

void check(std::string_view bytes, const papilio::TextOptions& options) {
  const InputFile file(bytes);
  try {
    check_mapped(file.path());
    papilio::ReadReport report;
    const papilio::Corpus corpus = papilio::read_corpus_file(file.path(), options, &report);
    check_read(corpus, report);
  } catch (const papilio::FormatError&) {
  }
}

}  // namespace

// The input is the file, once as it is and once with hashes that fit; its last byte, one of the hashes, also chooses
// the options.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const papilio::TextOptions options = options_of(data[size - 1]);
  check(as_text(data, size), options);
  check(with_sound_corpus_hashes(as_text(data, size)), options);
  return 0;
}
