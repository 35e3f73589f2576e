#pragma once

#include "lda/io/model/safetensors.h"
#include "papilio/choose.h"

namespace papilio::lda {

// What decides the result of a run of some topics and seed: a file holds these words, and fits only where all agree.
Metadata choose_identity(const CorpusView& corpus, const ChooseOptions& options);

}  // namespace papilio::lda
