#pragma once

#include <cstdint>
#include <span>

#include "papilio/evaluation.h"

namespace papilio::lda {

// Throws InvalidArgument if an option is out of range.
void require_options(const CompletionOptions& options);

// papilio::complete_documents for a corpus whose words `map`
// gives, papilio::map_words of model and corpus. Checks nothing.
Completion complete_documents(const Model& model, const CorpusView& corpus, const WordMap& map,
                              const CompletionOptions& options);

// For each of the documents [first, end), on a CPU: the number of its known tokens, and ln of the probability of those
// that are scored. The arrays have entries for all documents.
void score_documents(const Model& model, const CorpusView& corpus, const WordMap& map, const CompletionOptions& options,
                     std::int64_t first, std::int64_t end, std::span<std::int64_t> lengths, std::span<double> scores);

// The number of documents that are scored: those with at least two known words.
std::int64_t documents_to_score(const CorpusView& corpus, const WordMap& map);

// The sum over all documents, from the number of known tokens of each and ln of the probability of its scored tokens.
Completion completion_of(std::span<const std::int64_t> lengths, std::span<const double> scores, const WordMap& map);

}  // namespace papilio::lda
