#pragma once

#include <cstdint>

#include "papilio/corpus.h"
#include "papilio/evaluation.h"
#include "papilio/model.h"

namespace papilio::lda {

// Functions of papilio/evaluation.h that check the corpus on this many threads; 0: all.
WordMap map_words(const Model& model, const CorpusView& corpus, int threads);
HeldOutSplit hold_out_every(const CorpusView& corpus, std::int64_t every, int threads);

}  // namespace papilio::lda
