#pragma once

#include <cstdint>

#include "papilio/communicator.h"
#include "papilio/corpus.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"
#include "papilio/model.h"

// Training over ranks (TrainOptions::ranks), inference and held-out scores over ranks. docs/distributed.md.

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

// Collective: infer and the held-out scores of papilio/evaluation.h, each rank for its documents, `documents_of_rank`.
// Every rank has the same model, corpus and options; threads and device may differ. The results are those of one
// process, bit for bit.
//
// infer              rank 0 returns all documents, D x K; the others none, with known_tokens, unknown_words and
//                    unknown_tokens of all
// the other two      every rank returns the same, and keeps 8 or 16 bytes per document of the corpus meanwhile
//
// Throws as the functions for one process do, InvalidArgument where ranks differ, and RankError. A rank that throws
// tells the others.
//
//   const papilio::DocumentTopics topics = papilio::infer(model, corpus, {.seed = 7}, *ranks);
//   if (ranks->rank() == 0) topics.row(3)[0];  // the proportion of topic 0 in document 3
DocumentTopics infer(const Model& model, const CorpusView& corpus, const InferOptions& options, Communicator& ranks);
Completion complete_documents(const Model& model, const CorpusView& corpus, const CompletionOptions& options,
                              Communicator& ranks);
LeftToRight left_to_right(const Model& model, const CorpusView& corpus, const LeftToRightOptions& options,
                          Communicator& ranks);

}  // namespace papilio
