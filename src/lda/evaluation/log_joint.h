#pragma once

#include "lda/model/priors.h"
#include "lda/model/state.h"

namespace papilio::lda {

// papilio::log_joint of a state whose counts are those of its z and its seeds.
double log_joint(const CorpusView& corpus, const State& state, const Priors& priors, int threads);

}  // namespace papilio::lda
