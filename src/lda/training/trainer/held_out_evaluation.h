#pragma once

#include <cstdint>
#include <vector>

#include "lda/model/state.h"
#include "lda/training/chain/chain.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio::lda {

// Scores the held-out documents of the options by document completion while a chain trains. Also takes the memory of a
// model: counts are made from the state that the chain shows. Over ranks each scores a share of the documents.
class HeldOutEvaluation {
 public:
  // Keeps references: corpus and options must outlive it. Throws InvalidArgument where the held-out
  // documents do not verify, or none has two words that the corpus counts. Collective.
  HeldOutEvaluation(const CorpusView& corpus, const TrainOptions& options);

  // What papilio::complete_documents gives for the model that the chain has reached.
  Completion operator()(Chain& chain);

 private:
  void take_counts(const ChainState& state);
  void take_counts(const State& state);
  void take_occurrences();
  std::vector<std::int64_t> occurrences_of_words() const;
  Completion complete_over_ranks() const;

  const CorpusView corpus_;
  const TrainOptions& options_;
  Model model_;
  WordMap map_;
};

}  // namespace papilio::lda
