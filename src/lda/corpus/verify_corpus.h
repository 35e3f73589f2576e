#pragma once

#include <cstdint>

#include "papilio/corpus.h"

// CorpusView::verify in two parts. Both throw InvalidArgument as it does.

namespace papilio::lda {

// Verifies all but the words.
void verify_documents(const CorpusView& corpus);

// Verifies the words of tokens `begin` to `end` - 1, which the corpus must have. Reads no others.
void verify_words(const CorpusView& corpus, std::int64_t begin, std::int64_t end, int threads);

}  // namespace papilio::lda
