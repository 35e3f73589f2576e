#pragma once

#include "lda/io/model/safetensors.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// Adds what tells a corpus from others: its sizes, and hashes of its arrays and words.
void add_corpus_identity(Metadata& metadata, const CorpusView& corpus);

}  // namespace papilio::lda
