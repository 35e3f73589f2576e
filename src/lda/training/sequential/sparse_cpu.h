#pragma once

#include <memory>

#include "lda/training/sweep_cpu.h"
#include "papilio/lda.h"

namespace papilio::lda {

// The exact chain of `collapsed`, in one thread, in time that does not depend on K: see sparse_kernel.h. Keeps
// references: the corpus must outlive it.
std::unique_ptr<CpuSweep> make_sequential_sparse_sweep(const CorpusView& corpus, const TrainOptions& options);

}  // namespace papilio::lda
