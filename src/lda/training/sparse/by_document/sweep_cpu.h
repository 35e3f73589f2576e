#pragma once

#include <memory>

#include "lda/training/sweep_cpu.h"

namespace papilio::lda {

// Sparse sweeps of `theta_collapsed`: phi is drawn, then each document's tokens one after the other, by word and of a
// word in their order, given phi and the topics that the document's other tokens have by then.
//
// A thread takes a block of documents and goes through them word by word, so that a row of phi serves all of
// them. Keeps references: the corpus, which a Plan of these options has passed, must outlive it.
std::unique_ptr<CpuSweep> make_sparse_by_document_sweep(const CorpusView& corpus, const TrainOptions& options);

}  // namespace papilio::lda
