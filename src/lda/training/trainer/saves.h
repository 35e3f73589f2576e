#pragma once

#include <cstdint>

#include "lda/training/chain/chain.h"
#include "lda/training/trainer/sweep_timer.h"
#include "papilio/distributed.h"

namespace papilio::lda {

// The checkpoints of a run: by options.checkpoint, which is called with the state, or options.checkpoint_writer, which
// writes while the sweeps go on.
class Saves {
 public:
  // Borrows the options.
  Saves(const TrainOptions& options, Clock::time_point start);

  // Saves if a checkpoint is due, and advances the one under way. Collective over ranks: if one of them wants to stop
  // or to save, all do.
  void after_sweep(Chain& chain, SweepTimer& timer, bool& stops);

  // Waits for the checkpoint under way. Collective.
  void finish();

 private:
  bool is_due(Chain& chain, SweepTimer& timer) const;
  void save(Chain& chain, SweepTimer& timer);
  void save_gathered(const ChainState& part);

  const TrainOptions& options_;
  Communicator* const ranks_;       // null: this process alone
  const bool is_gathered_;          // rank 0 alone writes, the states of all
  CheckpointWriter* const writer_;  // null: not by this rank
  Clock::time_point last_;
};

}  // namespace papilio::lda
