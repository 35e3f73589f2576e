#include "lda/corpus/part_of_rank.h"

#include <algorithm>

#include "base/check.h"

namespace papilio {
namespace {

// The number of a rank's first document: the one that begins closest to the rank's share of the tokens.
std::int64_t first_document(const CorpusView& corpus, int rank, int ranks) {
  if (rank == 0) return 0;
  if (rank == ranks) return corpus.documents();
  const auto offsets = corpus.document_offsets;
  const std::int64_t tokens = offsets.back();
  const std::int64_t share = tokens / ranks * rank + tokens % ranks * rank / ranks;
  const auto above = std::lower_bound(offsets.begin(), offsets.end() - 1, share);
  const bool is_below_closer = above != offsets.begin() && share - above[-1] < *above - share;
  return above - offsets.begin() - (is_below_closer ? 1 : 0);
}

}  // namespace

RankDocuments documents_of_rank(const CorpusView& corpus, int rank, int ranks) {
  base::require(0 <= rank && rank < ranks, "papilio::documents_of_rank: rank is {}, expected 0 <= rank < {}", rank,
                ranks);
  if (corpus.documents() == 0) return {};
  const std::int64_t first = first_document(corpus, rank, ranks);
  const std::int64_t end = first_document(corpus, rank + 1, ranks);
  return {first, end, corpus.document_offsets[static_cast<std::size_t>(first)],
          corpus.document_offsets[static_cast<std::size_t>(end)]};
}

namespace lda {

PartOfRank::PartOfRank(const CorpusView& corpus, int rank, int ranks)
    : place_(documents_of_rank(corpus, rank, ranks)), view_(corpus) {
  const auto first = static_cast<std::size_t>(place_.first_document);
  const auto documents = static_cast<std::size_t>(place_.documents());
  for (std::size_t d = first; d <= first + documents; ++d) {
    offsets_.push_back(corpus.document_offsets[d] - place_.first_token);
  }
  view_.document_offsets = offsets_;
  view_.words =
      corpus.words.subspan(static_cast<std::size_t>(place_.first_token), static_cast<std::size_t>(place_.tokens()));
  if (!view_.document_names.empty()) view_.document_names = view_.document_names.subspan(first, documents);
}

}  // namespace lda
}  // namespace papilio
