#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "lda/training/chain.h"

namespace papilio::lda {

// One sweep of a sampler over all tokens: z is drawn anew, and n_wk and n_k follow, at once or when they are asked for.
class Sweep {
 public:
  virtual ~Sweep() = default;

  // state.sweep is the number of this sweep.
  virtual void run(State& state) = 0;

  // What the last run may have left undone: z, or z and all counts. The state is that of all runs.
  virtual void settle_topics(State&) {}
  virtual void settle(State&) {}

  // How the last one's tokens were drawn.
  virtual SweepDraws draws() const { return {}; }
};

// The sweep that the options name, on the CPU. Keeps references: the corpus must outlive it.
std::unique_ptr<Sweep> make_sweep(const CorpusView& corpus, const TrainOptions& options);

// A chain on the CPU.
class CpuChain final : public Chain {
 public:
  CpuChain(const CorpusView& corpus, const TrainOptions& options, std::optional<ChainState> resume);

  void sweep() override;
  void wait() override {}
  std::int64_t sweeps() const override { return state_.sweep; }
  SweepDraws draws() override { return sweep_->draws(); }
  double log_joint() override;
  void show_topics(base::FunctionRef<void(const ChainState&)> use) override;
  State take_state() override;

  const State& state();

 private:
  const CorpusView corpus_;
  const TrainOptions options_;
  const std::unique_ptr<Sweep> sweep_;
  State state_;
};

}  // namespace papilio::lda
