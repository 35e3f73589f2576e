#pragma once

#include "papilio/communicator.h"
#include "papilio/lda.h"

namespace papilio::lda {

// Throws InvalidArgument on every rank if the ranks' corpora or options differ. The message names the first rank that
// differs from rank 0, and in what. Computes the identity of a corpus if the options lack it. Collective.
void require_agreement(const CorpusView& corpus, const TrainOptions& options);

}  // namespace papilio::lda
