#pragma once

#include <cstdint>

#include "lda/training/dense/removal_cpu.h"
#include "lda/training/memory/scratch_pool.h"
#include "lda/training/parameters/phi_table_cpu.h"
#include "lda/training/parameters/theta_rows_cpu.h"
#include "lda/training/plan.h"
#include "lda/training/sweep_cpu.h"
#include "sampling/products/product_draws.h"

namespace papilio::lda {

// Draws every token's topic given theta and phi as they are when the sweep begins. No token sees another's new topic,
// so neither the order nor the threads matter.
class ParallelSweep final : public CpuSweep {
 public:
  // Keeps references: the corpus must outlive it.
  ParallelSweep(const CorpusView& corpus, const TrainOptions& options, const Plan& plan);

  void run(State& state) override;

 private:
  // What one thread needs for one block of documents.
  struct Scratch {
    Scratch(const CorpusView& corpus, const TrainOptions& options, std::int64_t documents)
        : theta(corpus, options.topics, documents),
          first(options.topics, options.method),
          second(options.topics, options.method) {}
    ThetaRows theta;
    sampling::ProductDraws first;
    SecondDraws second;
  };
  class Block;

  void draw_z(State& state);

  const CorpusView corpus_;
  const Plan plan_;
  const std::uint64_t seed_;
  const int threads_;
  PhiTable phi_;
  const std::int64_t documents_per_block_;
  ScratchPool<Scratch> scratch_;
};

}  // namespace papilio::lda
