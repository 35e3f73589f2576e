#pragma once

#include <memory>

#include "lda/training/plan.h"
#include "lda/training/sweep_cpu.h"

namespace papilio::lda {

// Moves every token's topic by steps of Metropolis and Hastings, `mh_steps` a sweep, by alias tables of words and by
// the topics of its document in turn: for `collapsed` all tokens at once, for `theta_collapsed` those of a document
// one after the other (the plan's order). Keeps references: the corpus must outlive it.
std::unique_ptr<CpuSweep> make_alias_sweep(const CorpusView& corpus, const TrainOptions& options, const Plan& plan);

}  // namespace papilio::lda
