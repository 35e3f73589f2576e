#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "lda/training/chain/chain.h"
#include "lda/training/sweep_cpu.h"

namespace papilio::lda {

// A chain on the CPU: it owns the state, on which its sweep works.
class CpuChain final : public Chain {
 public:
  CpuChain(const CorpusView& corpus, const TrainOptions& options, std::optional<ChainState> resume);

  // On this rank's part of a corpus; `ranks` have the other parts. The sweep and the state know about them.
  CpuChain(const CorpusView& part, const TrainOptions& options, std::unique_ptr<CpuSweep> sweep, State state,
           Communicator* ranks);

  void sweep() override;
  void wait() override {}
  std::int64_t sweeps() const override { return state_.sweep; }
  SweepDraws draws() override { return sweep_->draws(); }
  double log_joint() override;
  void show_state(base::FunctionRef<void(const ChainState&)> use) override;
  State take_state() override;

  const State& state();

 private:
  const CorpusView corpus_;
  const TrainOptions options_;
  const std::unique_ptr<CpuSweep> sweep_;
  State state_;
  Communicator* const ranks_ = nullptr;
};

// The sweep over all tokens of a corpus that the options ask for.
std::unique_ptr<CpuSweep> make_cpu_sweep(const CorpusView& corpus, const TrainOptions& options);

}  // namespace papilio::lda
