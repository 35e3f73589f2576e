#pragma once

#include <memory>
#include <utility>

#include "lda/training/sweep_cpu.h"
#include "papilio/communicator.h"

namespace papilio::lda {

// Counts n_wk and n_k of all ranks, seeds included, from the topics that each rank has for its own tokens. Collective.
void count_over_ranks(const CorpusView& corpus, State& state, int threads, Communicator& ranks);

// A sweep over a part of a corpus. Its sampler needs no counts of other ranks while it runs: they are added up later.
class SweepOfRank final : public CpuSweep {
 public:
  // sweep: null for a part without tokens. The corpus and the communicator must outlive it.
  SweepOfRank(const CorpusView& corpus, int threads, std::unique_ptr<CpuSweep> sweep, Communicator& ranks)
      : corpus_(corpus), threads_(threads), sweep_(std::move(sweep)), ranks_(ranks) {}

  void run(State& state) override {
    if (sweep_) sweep_->run(state);
    count_over_ranks(corpus_, state, threads_, ranks_);
  }
  SweepDraws draws() const override { return sweep_ ? sweep_->draws() : SweepDraws{}; }

 private:
  const CorpusView corpus_;
  const int threads_;
  const std::unique_ptr<CpuSweep> sweep_;
  Communicator& ranks_;
};

}  // namespace papilio::lda
