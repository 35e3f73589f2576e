#include "base/check.h"
#include "lda/io/corpus_file/corpus_file_over_ranks.h"
#include "lda/io/format/format.h"
#include "papilio/corpus_file.h"

namespace papilio::lda {
namespace {

Corpus read(const std::string& path, const CorpusOptions& options, ReadReport& report) {
  return read_corpus_file(path, options.text, &report);
}

void write(const CorpusView& corpus, const std::string& path, const std::string& vocabulary) {
  base::require(vocabulary.empty(), "{}: a vocabulary was given, but a corpus file holds its own", writer_name);
  write_corpus_file(corpus, path);
}

}  // namespace

extern const Format corpus_file_format = {.format = CorpusFormat::corpus_file,
                                          .name = "corpus",
                                          .help = "papilio's own corpus file",
                                          .endings = {".papilio-corpus"},
                                          .read = read,
                                          .read_parts = read_parts_of_corpus_file,
                                          .write = write};

}  // namespace papilio::lda
