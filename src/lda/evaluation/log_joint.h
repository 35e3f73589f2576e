#pragma once

#include "lda/priors.h"
#include "lda/state.h"

namespace papilio::lda {

// papilio::log_joint of a state whose counts are those of its z.
double log_joint(const CorpusView& corpus, const State& state, const Priors& priors, int threads);

}  // namespace papilio::lda
