#pragma once

#include "lda/model/priors.h"
#include "lda/model/state.h"
#include "papilio/communicator.h"

namespace papilio::lda {

// papilio::log_joint of a state whose counts are those of its z and its seeds. With ranks, each of which has a part of
// the corpus: every rank gets the value of the whole corpus.
double log_joint(const CorpusView& corpus, const State& state, const Priors& priors, int threads,
                 Communicator* ranks = nullptr);

}  // namespace papilio::lda
