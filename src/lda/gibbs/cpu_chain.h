#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "lda/gibbs/chain.h"

namespace papilio::lda {

// One sweep of a sampler over all tokens: z is drawn anew, and n_wk and n_k follow.
class Sweep {
 public:
  virtual ~Sweep() = default;

  // state.sweep is the number of this sweep.
  virtual void run(State& state) = 0;
};

// The sweep that the options name, on the CPU. Keeps references: the corpus must outlive it.
std::unique_ptr<Sweep> make_sweep(const CorpusView& corpus, const TrainOptions& options);

// A chain on the CPU.
class CpuChain final : public Chain {
 public:
  CpuChain(const CorpusView& corpus, const TrainOptions& options, std::optional<Topics> resume);

  void sweep() override;
  void wait() override {}
  std::int64_t sweeps() const override { return state_.sweep; }
  double log_joint() override;
  void show_topics(base::FunctionRef<void(const Topics&)> use) override;
  State take_state() override { return std::move(state_); }

  const State& state() const { return state_; }

 private:
  const CorpusView corpus_;
  const TrainOptions options_;
  const std::unique_ptr<Sweep> sweep_;
  State state_;
};

}  // namespace papilio::lda
