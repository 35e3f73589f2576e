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

// What sweeps on a CUDA device start from. The references need to be valid only during the sweep's constructor, except
// for corpus and seeds, which must outlive the sweep.
struct CudaStart {
  const CorpusView& corpus;
  const TrainOptions& options;
  const Plan& plan;
  const Priors& priors;
  const Seeds& seeds;
  const std::vector<std::int32_t>* z;  // null: topics are drawn uniformly; never null if there are seeds
  cudaStream_t stream;                 // the chain's; all work is queued on it, or in its order
  const DeviceRanks* ranks = nullptr;  // those that draw the other documents; then `corpus` is a part of the whole one

  // The corpus of all documents.
  const CorpusView& whole() const { return ranks != nullptr ? ranks->whole : corpus; }
};

// What is copied to the device in each sweep because it does not fit there.
struct Streaming {
  std::int64_t tokens = 0;
  std::int64_t bytes = 0;
  double bytes_per_second = 0;  // that copies were measured to reach; 0: not measured
};

// One sampler's sweeps on a CUDA device, which must be current when the sweep is made and whenever it is called.
// z and its counts are on the device.
class CudaSweep {
 public:
  virtual ~CudaSweep() = default;

  // Queues one sweep over all tokens; `sweep` is its number.
  virtual void run(std::int64_t sweep) = 0;

  // Sets the priors of later sweeps, and of log_joint.
  virtual void set_priors(const Priors& priors) = 0;

  // The following functions wait for the queued work.

  // How the last run's tokens were drawn.
  virtual SweepDraws draws() = 0;

  // Replaces the priors as optimize_priors does, from z; the sweeps' own priors do not change yet.
  virtual void optimize(Priors& priors) = 0;

  // Makes lists of z's counts, and of topics' masses, for the words of `lists`; `words` has them in host memory.
  virtual void make_lists(const WordLists& lists, std::span<const std::int32_t> words) = 0;

  // papilio::log_joint of z.
  virtual double log_joint() = 0;

  virtual std::vector<std::int32_t> z() = 0;

  // Sets the counts to those of state.z, which is z(), plus those of state.seeds.
  virtual void count(State& state) = 0;

  // Stores z and its counts in `state`, at the end of a chain.
  virtual void take(State& state) {
    state.z = z();
    count(state);
  }

  // How much device memory it has taken so far.
  virtual std::int64_t bytes() const = 0;

  virtual Streaming streaming() const { return {}; }
};

}  // namespace papilio::lda
