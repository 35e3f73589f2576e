#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "execution/cuda/memory.h"
#include "lda/evaluation/fold_in/word_lists_cuda.h"
#include "lda/model/priors.h"
#include "lda/model/state.h"
#include "lda/training/device_ranks_cuda.h"
#include "lda/training/plan.h"
#include "papilio/lda.h"

namespace papilio::lda {

// What sweeps on a CUDA device begin with. References are for the sweep's constructor; corpus and seeds must outlive
// it.
struct CudaStart {
  const CorpusView& corpus;
  const TrainOptions& options;
  const Plan& plan;
  const Priors& priors;
  const Seeds& seeds;
  const std::vector<std::int32_t>* z;  // null: uniform topics; never where there are seeds
  cudaStream_t stream;                 // of the chain, on which, or in the order of which, all work is queued
  const DeviceRanks* ranks = nullptr;  // which draw the other documents; then `corpus` is a part of the whole one

  // The corpus of all documents.
  const CorpusView& whole() const { return ranks != nullptr ? ranks->whole : corpus; }
};

// What is copied to the device in each sweep, because it has no room there.
struct Streaming {
  std::int64_t tokens = 0;
  std::int64_t bytes = 0;
  double bytes_per_second = 0;  // that copies were found to reach; 0: not measured
};

// One sampler's sweeps on the CUDA device that is current when it is made, and whenever it is called. z and its
// counts are there.
class CudaSweep {
 public:
  virtual ~CudaSweep() = default;

  // Queues one sweep over all tokens; `sweep` is its number.
  virtual void run(std::int64_t sweep) = 0;

  // Those of the sweeps to come, and of log_joint.
  virtual void set_priors(const Priors& priors) = 0;

  // The rest waits for the work queued.

  // How the last run's tokens were drawn.
  virtual SweepDraws draws() = 0;

  // Replaces the priors as optimize_priors does, by z; not yet those of the sweeps.
  virtual void optimize(Priors& priors) = 0;

  // Makes lists of z's counts, and of topics' masses, of the words of `lists`, which `words` are in the host's memory.
  virtual void make_lists(const WordLists& lists, std::span<const std::int32_t> words) = 0;

  // papilio::log_joint of z.
  virtual double log_joint() = 0;

  virtual std::vector<std::int32_t> z() = 0;

  // Counts of state.z, which is z(), and of state.seeds.
  virtual void count(State& state) = 0;

  // Both, into `state`, at the end of a chain.
  virtual void take(State& state) {
    state.z = z();
    count(state);
  }

  // Of the device's memory, taken by now.
  virtual std::int64_t bytes() const = 0;

  virtual Streaming streaming() const { return {}; }
};

}  // namespace papilio::lda
