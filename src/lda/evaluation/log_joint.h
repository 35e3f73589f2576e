#pragma once

#include "lda/state.h"

namespace papilio::lda {

// papilio::log_joint of a state whose counts are those of its z.
double log_joint(const CorpusView& corpus, const State& state, double alpha, double beta, int threads);

}  // namespace papilio::lda
