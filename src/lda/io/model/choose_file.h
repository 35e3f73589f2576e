#pragma once

#include "lda/io/model/safetensors.h"
#include "papilio/choose.h"

namespace papilio::lda {

// What decides the result of a run with given topics and seed: a file contains it as text, and fits only if all agrees.
Metadata choose_identity(const CorpusView& corpus, const ChooseOptions& options);

}  // namespace papilio::lda
