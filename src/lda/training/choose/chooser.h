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

// Those that are asked for and not among the runs; runs that are not asked for are taken away. By seed, then by number
// of topics: soon there is something for every number.
std::vector<WantedModel> wanted_beside(std::vector<ChooseRun>& runs, const ChooseOptions& options);

// Trains and measures models on the two parts of a corpus.
class Chooser {
 public:
  // For options and a corpus that have been checked; borrows both. Throws InvalidArgument where the parts do not do for
  // the options, and for what `train` would refuse when it comes to it.
  Chooser(const CorpusView& corpus, const ChooseOptions& options);

  // The model's measures; none if `goes_on`, which is called after every sweep, stopped it. `model` of `models` is for
  // its reports.
  std::optional<ChooseRun> run(const WantedModel& wanted, int model, int models,
                               const std::function<bool(const ChooseProgress&)>& goes_on) const;

  // What has been measured: the runs, ordered, their rows, and how they were made.
  ChooseResult result(std::vector<ChooseRun> runs, bool stopped) const;

 private:
  TrainOptions training(std::int32_t topics, std::uint64_t seed) const;
  void describe(ChooseResult& result) const;

  const ChooseOptions& options_;
  const HeldOutSplit split_;
  CoherenceOptions coherence_;
};

}  // namespace papilio::lda
