#pragma once

#include "lda/model/state.h"
#include "papilio/lda.h"

namespace papilio::lda {

// One sampler's sweeps on the CPU. They draw z anew; n_wk and n_k follow, at once or when they are asked for.
class CpuSweep {
 public:
  virtual ~CpuSweep() = default;

  // One sweep over all tokens; state.sweep is its number.
  virtual void run(State& state) = 0;

  // Do what the last run may have left undone: of z, or of z and all counts. Every call gets the state of all runs.
  virtual void settle_z(State&) {}
  virtual void settle(State&) {}

  // How the last run's tokens were drawn.
  virtual SweepDraws draws() const { return {}; }
};

}  // namespace papilio::lda
