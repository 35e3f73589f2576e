#pragma once

#include <cstdint>
#include <vector>

#include "lda/model/state.h"
#include "lda/training/memory/aligned_table.h"

namespace papilio::lda {

// phi of all words, rows of K floats, as it is for the whole of a sweep.
class PhiTable {
 public:
  PhiTable(std::int64_t words, std::int32_t topics, int threads);

  // The posterior mean given z: phi_wk = (n_wk + beta) / (n_k + V beta).
  void estimate(const State& state);

  // Drawn given z: phi_k ~ Dirichlet(n_wk + beta over words w).
  void draw(const State& state, std::uint64_t seed);

  const float* row(std::int64_t w) const { return phi_.row(w); }

  // n_k + V beta at the sweep's start. Call `estimate` first.
  double mass(std::int32_t k) const { return mass_[static_cast<std::size_t>(k)]; }

 private:
  const std::int32_t topics_;
  const int threads_;
  AlignedTable phi_;
  std::vector<double> mass_;
};

}  // namespace papilio::lda
