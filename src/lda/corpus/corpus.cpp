#include "papilio/corpus.h"

#include <iterator>

#include "base/check.h"
#include "execution/check_view.h"

namespace papilio {

void CorpusView::verify() const {
  execution::require_span("Corpus::verify", "document_offsets", document_offsets);
  execution::require_span("Corpus::verify", "words", words);
  execution::require_span("Corpus::verify", "vocabulary", vocabulary);
  execution::require_span("Corpus::verify", "document_names", document_names);
  const auto& offsets = document_offsets;
  base::require(!offsets.empty() && offsets[0] == 0, "papilio::Corpus::verify: document_offsets must begin with 0; {}",
                offsets.empty() ? "it is empty" : "it begins with " + std::to_string(offsets[0]));
  for (std::size_t d = 1; d < offsets.size(); ++d) {
    base::require(offsets[d] >= offsets[d - 1],
                  "papilio::Corpus::verify: document_offsets[{}] is {}, less than {} before it", d, offsets[d],
                  offsets[d - 1]);
    base::require(offsets[d] - offsets[d - 1] <= most_document_tokens,
                  "papilio::Corpus::verify: document {} has {} tokens, expected at most 2^31 - 1; split it", d - 1,
                  offsets[d] - offsets[d - 1]);
  }
  base::require(offsets.back() == tokens(),
                "papilio::Corpus::verify: document_offsets ends with {}, but there are {} words", offsets.back(),
                tokens());
  base::require(document_names.empty() || std::ssize(document_names) == documents(),
                "papilio::Corpus::verify: there are {} document names, expected none or one per document, {}",
                document_names.size(), documents());
  for (std::size_t i = 0; i < words.size(); ++i) {
    base::require(words[i] >= 0 && words[i] < vocabulary_size(),
                  "papilio::Corpus::verify: words[{}] is {}, expected 0 <= word < {}", i, words[i], vocabulary_size());
  }
}

}  // namespace papilio
