#pragma once

#include <memory>

#include "lda/training/plan.h"
#include "lda/training/sweep_cpu.h"

namespace papilio::lda {

// Moves every token's topic by Metropolis-Hastings steps, `mh_steps` per sweep, whose proposals come in turn from alias
// tables of words and from the topics of its document. `collapsed` moves all tokens at once, `theta_collapsed` those of
// a document one after the other (the plan's order). Keeps references: the corpus must outlive it.
std::unique_ptr<CpuSweep> make_alias_sweep(const CorpusView& corpus, const TrainOptions& options, const Plan& plan);

}  // namespace papilio::lda
