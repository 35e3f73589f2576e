#pragma once

#include "papilio/communicator.h"
#include "papilio/lda.h"

namespace papilio::lda {

// Throws InvalidArgument on every rank where the ranks' corpora or options are not the same, naming the first rank
// that differs from rank 0 and in what. Corpora whose identities the options lack are read for them. Collective.
void require_agreement(const CorpusView& corpus, const TrainOptions& options);

}  // namespace papilio::lda
