#pragma once

#include "papilio/lda.h"

namespace papilio::lda {

// Throws InvalidArgument on every rank where the ranks' corpora or options are not the same, naming the first rank
// that differs from rank 0 and in what. Collective.
void require_agreement(const CorpusView& corpus, const TrainOptions& options);

}  // namespace papilio::lda
