#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "corpus_checks.h"
#include "papilio/corpus_file.h"
#include "papilio/error.h"
#include "papilio/texts.h"
#include "written_folder.h"

namespace {

constexpr std::size_t most_files = 6;

// The first byte is how many bytes of what follows are the first file, and so on; the last file gets the rest.
void write_files(const WrittenFolder& folder, std::string_view bytes) {
  std::filesystem::create_directory(folder.path("below"));
  for (std::size_t i = 0; i < most_files && !bytes.empty(); ++i) {
    const std::size_t length = i + 1 == most_files ? bytes.size() : static_cast<unsigned char>(bytes.front());
    folder.write((i % 2 == 0 ? "below/" : "") + std::to_string(i), bytes.substr(1, length));
    bytes.remove_prefix(std::min(bytes.size(), length + 1));
  }
}

}  // namespace

// The first byte chooses the options, the rest are files of a folder.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const WrittenFolder folder;
  write_files(folder, as_text(data + 1, size - 1));
  papilio::TextOptions options = options_of(data[0]);
  const papilio::TextSource source = {.path = folder.path(), .form = papilio::TextForm::folder};
  static const WrittenFolder written;
  try {
    papilio::ReadReport report;
    const papilio::Corpus corpus = papilio::read_text(source, options, &report);
    check_read(corpus, report);
    require(std::ssize(corpus.document_names) == corpus.documents());
    options.threads = 2;
    papilio::import_text(source, written.path("corpus"), options);
    const papilio::Corpus imported = papilio::read_corpus_file(written.path("corpus"), {.min_df = 0});
    check_equal(imported, corpus);
    require(imported.document_names == corpus.document_names);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
