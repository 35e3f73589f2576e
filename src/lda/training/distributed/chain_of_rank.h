#pragma once

#include <memory>
#include <optional>

#include "lda/training/chain/chain.h"

namespace papilio::lda {

// A chain on the documents of this rank of options.ranks, with the counts of all of them. Each rank calls the same
// functions in the same order. `resume` has this rank's topics. Throws InvalidArgument for what cannot run on ranks.
std::unique_ptr<Chain> start_chain_of_rank(const CorpusView& corpus, const TrainOptions& options,
                                           std::optional<ChainState> resume);

// The same on options.device, a GPU. Options say how the whole corpus is drawn. Throws DeviceUnavailable in a build
// without CUDA.
std::unique_ptr<Chain> start_chain_of_rank_on_cuda(const CorpusView& corpus, const TrainOptions& options,
                                                   const ChainState* resume);

}  // namespace papilio::lda
