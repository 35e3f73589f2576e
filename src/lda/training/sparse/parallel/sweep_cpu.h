#pragma once

#include <memory>

#include "lda/training/plan.h"
#include "lda/training/sweep_cpu.h"

namespace papilio::lda {

// Sparse sweeps of all tokens at once, for samplers whose theta is counts and whose phi is estimated. Every token's
// topic is drawn in time that follows the number of topics of its document rather than K: docs/lda/sparse.md. The draws
// have the distribution of ParallelSweep's draws, but not the same values.
//
// The first run takes over z; from then on the state's z and n_wk stay out of date until they are settled. Keeps
// references: the corpus, which the plan is of, must outlive it.
std::unique_ptr<CpuSweep> make_sparse_parallel_sweep(const CorpusView& corpus, const TrainOptions& options,
                                                     const Plan& plan);

}  // namespace papilio::lda
