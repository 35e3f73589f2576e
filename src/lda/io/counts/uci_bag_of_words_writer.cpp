#include <fmt/format.h>

#include <string>

#include "lda/io/bytes/atomic_file.h"
#include "lda/io/counts/matrix_writer.h"
#include "papilio/corpus.h"

namespace papilio {

void write_uci_bag_of_words(const CorpusView& corpus, const std::string& docword, const std::string& vocabulary) {
  const auto write_body = [&](lda::AtomicFile& file) {
    file.write(fmt::format("{}\n{}\n{}\n", corpus.documents(), corpus.vocabulary_size(), lda::count_entries(corpus)));
    lda::write_entries(corpus, file);
  };
  lda::write_matrix(corpus, docword, vocabulary, write_body, "papilio::write_uci_bag_of_words");
}

}  // namespace papilio
