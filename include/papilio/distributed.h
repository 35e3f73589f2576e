#pragma once

#include <cstdint>

#include "papilio/communicator.h"
#include "papilio/corpus.h"
#include "papilio/lda.h"

// Training over ranks: TrainOptions::ranks. docs/distributed.md.

namespace papilio {

// The documents of one rank, and their tokens.
struct RankDocuments {
  std::int64_t first_document = 0;
  std::int64_t end_document = 0;
  std::int64_t first_token = 0;
  std::int64_t end_token = 0;

  std::int64_t documents() const { return end_document - first_document; }
  std::int64_t tokens() const { return end_token - first_token; }
};

// Returns which documents of a corpus that verifies a rank draws: whole documents that follow one another, about as
// many tokens for every rank. The ranks' documents follow one another likewise, and together are all. A rank may have
// none, where there are more ranks than documents. Throws InvalidArgument unless 0 <= rank < ranks.
RankDocuments documents_of_rank(const CorpusView& corpus, int rank, int ranks);

// Collective. Returns on rank 0 the state of the whole chain, from the parts that train gave each rank; on other ranks
// one without topics. It takes 4 bytes per token of the whole corpus there. Throws RankError.
ChainState gather_topics(const ChainState& part, Communicator& ranks);

}  // namespace papilio
