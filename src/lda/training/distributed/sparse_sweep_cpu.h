#pragma once

#include <memory>

#include "lda/training/plan.h"
#include "lda/training/sweep_cpu.h"
#include "papilio/communicator.h"

namespace papilio::lda {

// The sparse parallel sweep over a part of a corpus, by the counts of all ranks.
//
// A word's counts are needed only while its tokens are drawn, so ranks go through the vocabulary together in blocks of
// words: each counts its tokens of the block, the counts are added up over ranks, and the tokens are drawn. The next
// block is counted and added up meanwhile. Blocks change no draw.
//
// Keeps references: the corpus and the communicator must outlive it.
std::unique_ptr<CpuSweep> make_sparse_sweep_of_rank(const CorpusView& corpus, const TrainOptions& options,
                                                    const Plan& plan, Communicator& ranks);

}  // namespace papilio::lda
