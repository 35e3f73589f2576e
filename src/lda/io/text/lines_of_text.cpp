#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "lda/io/bytes/atomic_file.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/text/text_source.h"
#include "papilio/corpus.h"

namespace papilio {

void lda::read_lines(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus,
                     const FilePart* part) {
  LineReader reader({caller, source.path}, corpus.memory_limit(), options.max_line_bytes, corpus.piece_bytes(),
                    options.threads, part);
  corpus.append_lines(reader);
}

void write_lines_of_text(const CorpusView& corpus, const std::string& path) {
  constexpr const char* caller = "papilio::write_lines_of_text";
  corpus.verify();
  for (std::size_t w = 0; w < corpus.vocabulary.size(); ++w) {
    base::require(corpus.vocabulary[w].find_first_of("\r\n") == std::string::npos,
                  "{}: word {} is {}, which holds the end of a line", caller, w, lda::quoted(corpus.vocabulary[w]));
  }
  lda::AtomicFile file(path, caller);
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    const auto begin = static_cast<std::size_t>(corpus.document_offsets[d]);
    const auto end = static_cast<std::size_t>(corpus.document_offsets[d + 1]);
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) file.write(" ");
      file.write(corpus.vocabulary[static_cast<std::size_t>(corpus.words[i])]);
    }
    file.write("\n");
  }
  file.commit();
}

}  // namespace papilio
