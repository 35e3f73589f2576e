#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lda/corpus/part_of_rank.h"
#include "lda/model/state.h"
#include "lda/training/chain/chain.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio::lda {

// Scores the held-out documents of the options by document completion while a chain trains. Needs the memory of another
// model: its counts are made from the state that the chain shows. Over ranks, each rank reads and scores a share of the
// documents.
class HeldOutEvaluation {
 public:
  // Keeps references: corpus and options must outlive it. Throws InvalidArgument if the held-out
  // documents are not valid, or if none has two words that the corpus counts. Collective.
  HeldOutEvaluation(const CorpusView& corpus, const TrainOptions& options);

  // What papilio::complete_documents gives for the model after the chain's sweeps.
  Completion operator()(Chain& chain);

 private:
  void take_counts(const ChainState& state);
  void take_counts(const State& state);
  void take_occurrences();
  std::vector<std::int64_t> occurrences_of_words() const;
  Communicator* ranks() const;
  Completion complete_over_ranks() const;

  const CorpusView corpus_;
  const TrainOptions& options_;
  std::optional<PartOfRank> part_;  // of the held-out documents, over ranks
  CorpusView own_;                  // those that this process scores
  Model model_;
  WordMap map_;  // of own_, but unknown_tokens is the number of all ranks
};

}  // namespace papilio::lda
