#pragma once

#include <cstdint>

#include "papilio/corpus.h"

// What CorpusView::verify does, in two parts. Both throw InvalidArgument as it does.

namespace papilio::lda {

// All but the words.
void verify_documents(const CorpusView& corpus);

// The words of the tokens `begin` to `end` - 1, which the corpus must have. No others are read.
void verify_words(const CorpusView& corpus, std::int64_t begin, std::int64_t end);

}  // namespace papilio::lda
