#include "lda/training/sequential/word_places.h"

#include <algorithm>
#include <utility>

#include "papilio/primitives.h"

namespace papilio::lda {

std::vector<std::int64_t> topic_list_offsets(const CorpusView& corpus, std::int32_t topics) {
  std::vector<std::int64_t> offsets(corpus.document_offsets.size());
  for (std::size_t d = 1; d < offsets.size(); ++d) {
    const std::int64_t tokens = corpus.document_offsets[d] - corpus.document_offsets[d - 1];
    offsets[d] = offsets[d - 1] + 1 + std::min<std::int64_t>(tokens, topics);
  }
  return offsets;
}

WordPlaces::WordPlaces(const CorpusView& corpus, std::vector<std::int64_t> list_offsets_of_documents)
    : offsets(static_cast<std::size_t>(corpus.vocabulary_size()) + 1),
      list_offsets(std::move(list_offsets_of_documents)),
      tokens(corpus.words.size()),
      lists(corpus.words.size()) {
  std::vector<std::int64_t> next(offsets.size() - 1);
  histogram(corpus.words, next, 1);
  exclusive_scan(next, offsets, 1);
  std::copy(offsets.begin(), offsets.end() - 1, next.begin());
  for (std::size_t d = 0; d + 1 < list_offsets.size(); ++d) {
    const auto end = static_cast<std::size_t>(corpus.document_offsets[d + 1]);
    for (auto i = static_cast<std::size_t>(corpus.document_offsets[d]); i < end; ++i) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(corpus.words[i])]++);
      tokens[place] = static_cast<std::uint32_t>(i);
      lists[place] = list_offsets[d];
    }
  }
}

}  // namespace papilio::lda
