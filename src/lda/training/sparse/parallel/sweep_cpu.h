#pragma once

#include <memory>

#include "lda/training/plan.h"
#include "lda/training/sweep_cpu.h"

namespace papilio::lda {

// Sparse sweeps of all tokens at once, for samplers whose theta is counts and whose phi is estimated. Drawing a token
// takes time in proportion to the number of topics of its document rather than K (docs/lda/sparse.md). The draws have
// the same distribution as ParallelSweep's, but not the same values.
//
// The first run takes over z; from then on, z and n_wk of the state are out of date until they are settled. The sweep
// keeps references: the corpus, which the plan is for, must outlive it.
std::unique_ptr<CpuSweep> make_sparse_parallel_sweep(const CorpusView& corpus, const TrainOptions& options,
                                                     const Plan& plan);

}  // namespace papilio::lda
