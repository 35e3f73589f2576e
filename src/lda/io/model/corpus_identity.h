#pragma once

#include "lda/io/model/safetensors.h"
#include "papilio/corpus.h"
#include "papilio/lda.h"

namespace papilio::lda {

void add_corpus_identity(Metadata& metadata, const CorpusIdentity& identity);
void add_corpus_identity(Metadata& metadata, const CorpusView& corpus);

}  // namespace papilio::lda
