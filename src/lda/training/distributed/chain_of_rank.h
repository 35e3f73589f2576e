#pragma once

#include <memory>
#include <optional>

#include "lda/corpus/part_of_rank.h"
#include "lda/training/chain/chain.h"

namespace papilio::lda {

// A chain on the documents of this rank of options.ranks, with the counts of all ranks. All ranks call the same
// functions in the same order. `resume` has this rank's topics. Throws InvalidArgument for what cannot run on ranks.
std::unique_ptr<Chain> start_chain_of_rank(const CorpusView& corpus, const TrainOptions& options,
                                           std::optional<ChainState> resume);

// The options with which to draw this rank's part, so that choices which depend on the size of a corpus are those of
// the whole corpus. Collective; all ranks throw InvalidArgument for what cannot run on ranks.
TrainOptions options_of_ranks(const CorpusView& corpus, const PartOfRank& part, const TrainOptions& options);

// A rank's state, with the counts of all ranks: that of `chain`, or of a new chain if there is none. Collective.
State state_of_rank(const CorpusView& corpus, const PartOfRank& part, const TrainOptions& options,
                    std::optional<ChainState> chain);

// start_chain_of_rank on options.device, a GPU. `options` come from options_of_ranks. Throws DeviceUnavailable in
// a build without CUDA.
std::unique_ptr<Chain> start_chain_of_rank_on_cuda(const CorpusView& corpus, const TrainOptions& options,
                                                   const ChainState* resume);

}  // namespace papilio::lda
