#include "lda/gibbs/sparse/word_order.h"

namespace papilio::lda::sparse {

WordOrder::WordOrder(const CorpusView& corpus)
    : tokens(static_cast<std::size_t>(corpus.tokens())),
      offsets(static_cast<std::size_t>(corpus.vocabulary_size()) + 1) {
  for (const std::int32_t word : corpus.words) ++offsets[static_cast<std::size_t>(word) + 1];
  for (std::size_t w = 1; w < offsets.size(); ++w) offsets[w] += offsets[w - 1];
  std::vector<std::int64_t> places(offsets.begin(), offsets.end() - 1);
  std::uint32_t d = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    while (corpus.document_offsets[d + 1] <= static_cast<std::int64_t>(i)) ++d;
    const auto at = static_cast<std::size_t>(places[static_cast<std::size_t>(corpus.words[i])]++);
    tokens[at] = {static_cast<std::uint32_t>(i), d};
  }
}

}  // namespace papilio::lda::sparse
