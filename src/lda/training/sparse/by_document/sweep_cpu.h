#pragma once

#include <memory>

#include "lda/training/sweep_cpu.h"

namespace papilio::lda {

// Sparse sweeps of `theta_collapsed`: phi is drawn, then the tokens of each document one after another, word by word
// and in order within a word, given phi and the topics that the document's other tokens have then.
//
// A thread processes a block of documents, word by word, so that a row of phi serves all of them. The sweep keeps
// references: the corpus, for which a Plan with these options must have been made, must outlive it.
std::unique_ptr<CpuSweep> make_sparse_by_document_sweep(const CorpusView& corpus, const TrainOptions& options);

}  // namespace papilio::lda
