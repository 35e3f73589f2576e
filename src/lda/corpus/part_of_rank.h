#pragma once

#include <cstdint>
#include <vector>

#include "papilio/communicator.h"
#include "papilio/corpus.h"
#include "papilio/distributed.h"

namespace papilio::lda {

// The documents of a rank as a corpus of their own, which borrows from the whole corpus.
class PartOfRank {
 public:
  PartOfRank(const CorpusView& corpus, int rank, int ranks);
  PartOfRank(const PartOfRank&) = delete;
  PartOfRank& operator=(const PartOfRank&) = delete;

  CorpusView view() const { return view_; }
  const RankDocuments& place() const { return place_; }

 private:
  const RankDocuments place_;
  std::vector<std::int64_t> offsets_;
  CorpusView view_;
};

}  // namespace papilio::lda
