#pragma once

#include <memory>

#include "lda/training/chain_cpu.h"

namespace papilio::lda {

// Throws InvalidArgument for a document of 2^24 tokens or more: its counts are floats.
void require_ordered_documents(const CorpusView& corpus);

// Sparse sweeps of `theta_collapsed`: phi is drawn, then each document's tokens one after the other, by word and of a
// word in their order, given phi and the topics that the document's other tokens have by then.
//
// A thread takes a block of documents and goes through them word by word, so that a row of phi serves all of
// them. Keeps references: the corpus must outlive it. Throws InvalidArgument for a corpus of more than 2^32 - 1
// tokens, or as require_ordered_documents.
std::unique_ptr<Sweep> make_ordered_sweep(const CorpusView& corpus, const TrainOptions& options);

}  // namespace papilio::lda
