#pragma once

#include "papilio/evaluation.h"

namespace papilio::lda {

// Throws InvalidArgument where they are out of range.
void require_options(const CompletionOptions& options);

// papilio::complete_documents for a corpus whose words are known by `map`, papilio::map_words of both.
// Checks nothing.
Completion complete_documents(const Model& model, const CorpusView& corpus, const WordMap& map,
                              const CompletionOptions& options);

}  // namespace papilio::lda
