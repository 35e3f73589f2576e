#pragma once

#include <cstdint>
#include <span>

#include "papilio/evaluation.h"

namespace papilio::lda {

// Throws InvalidArgument where they are out of range.
void require_options(const CompletionOptions& options);

// papilio::complete_documents for a corpus whose words are known by `map`, papilio::map_words of both.
// Checks nothing.
Completion complete_documents(const Model& model, const CorpusView& corpus, const WordMap& map,
                              const CompletionOptions& options);

// For the documents [first, end), how many known tokens each has, and ln of the probability of those scored; on a CPU.
// The arrays are of all documents.
void score_documents(const Model& model, const CorpusView& corpus, const WordMap& map, const CompletionOptions& options,
                     std::int64_t first, std::int64_t end, std::span<std::int64_t> lengths, std::span<double> scores);

// The sum over all documents: of each, how many known tokens it has, and ln of the probability of those scored.
Completion completion_of(std::span<const std::int64_t> lengths, std::span<const double> scores, const WordMap& map);

}  // namespace papilio::lda
