#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "papilio/choose.h"

namespace papilio::lda {

// A model to train.
struct WantedModel {
  std::int32_t topics;
  std::uint64_t seed;
};

// The models that are asked for and not among the runs; also removes the runs that are not asked for. Sorted by seed,
// then by number of topics, so that every number of topics soon has a run.
std::vector<WantedModel> wanted_beside(std::vector<ChooseRun>& runs, const ChooseOptions& options);

// Trains and measures models on the two parts of a corpus.
class Chooser {
 public:
  // Options and corpus have been checked; the options must outlive it. Throws InvalidArgument if the two parts of the
  // corpus do not suit the options, and for all that `train` would refuse later.
  Chooser(const CorpusView& corpus, const ChooseOptions& options);

  // Returns the model's measures; nothing if `goes_on`, which is called after every sweep, stopped it. Its reports name
  // the model as number `model` of `models`.
  std::optional<ChooseRun> run(const WantedModel& wanted, int model, int models,
                               const std::function<bool(const ChooseProgress&)>& goes_on) const;

  // The result of all measurements: the runs, sorted, their rows, and how they were made.
  ChooseResult result(std::vector<ChooseRun> runs, bool stopped) const;

 private:
  TrainOptions training(std::int32_t topics, std::uint64_t seed) const;
  void describe(ChooseResult& result) const;

  const ChooseOptions& options_;
  const HeldOutSplit split_;
  CoherenceOptions coherence_;
};

}  // namespace papilio::lda
