#pragma once

#include "lda/model/state.h"
#include "papilio/lda.h"

namespace papilio::lda {

// One sampler's sweeps on the CPU: z is drawn again, and n_wk and n_k follow, at once or when they are asked for.
class CpuSweep {
 public:
  virtual ~CpuSweep() = default;

  // One sweep over all tokens; state.sweep is its number.
  virtual void run(State& state) = 0;

  // Does what the last run may have left undone: z, or z and all counts. The state is that of all runs.
  virtual void settle_z(State&) {}
  virtual void settle(State&) {}

  // How the last run's tokens were drawn.
  virtual SweepDraws draws() const { return {}; }
};

}  // namespace papilio::lda
