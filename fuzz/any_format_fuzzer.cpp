#include <cstddef>
#include <cstdint>
#include <optional>

#include "corpus_checks.h"
#include "papilio/corpus_file.h"
#include "papilio/corpus_formats.h"
#include "papilio/error.h"
#include "written_folder.h"

namespace {

// Nothing where the file is refused.
std::optional<papilio::Corpus> read(const std::string& path, const papilio::CorpusOptions& options) {
  try {
    papilio::ReadReport report;
    papilio::Corpus corpus = papilio::read_corpus(path, options, &report);
    check_read(corpus, report);
    return corpus;
  } catch (const papilio::FormatError&) {
    return std::nullopt;
  }
}

bool imports(const std::string& from, const std::string& to, const papilio::CorpusOptions& options) {
  try {
    papilio::import_corpus(from, to, options);
    return true;
  } catch (const papilio::FormatError&) {
    return false;
  }
}

}  // namespace

// The first byte chooses the options, the rest is a file of a format to be found out. It is imported if it is read,
// and as the same corpus.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const InputFile file(as_text(data + 1, size - 1));
  const papilio::CorpusOptions options = {.text = options_of(data[0])};
  const std::optional<papilio::Corpus> corpus = read(file.path(), options);
  static const WrittenFolder folder;
  const std::string path = folder.path("corpus");
  require(imports(file.path(), path, options) == corpus.has_value());
  if (corpus) check_equal(papilio::read_corpus_file(path, {.min_df = 0}), *corpus);
  return 0;
}
