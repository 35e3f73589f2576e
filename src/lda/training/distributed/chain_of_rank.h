#pragma once

#include <memory>
#include <optional>

#include "lda/corpus/part_of_rank.h"
#include "lda/training/chain/chain.h"

namespace papilio::lda {

// A chain on the documents of this rank of options.ranks, with the counts of all of them. Each rank calls the same
// functions in the same order. `resume` has this rank's topics. Throws InvalidArgument for what cannot run on ranks.
std::unique_ptr<Chain> start_chain_of_rank(const CorpusView& corpus, const TrainOptions& options,
                                           std::optional<ChainState> resume);

// How the whole corpus is drawn, whatever the part is like. Collective; all throw InvalidArgument for what cannot run
// on ranks.
TrainOptions options_of_ranks(const CorpusView& corpus, const PartOfRank& part, const TrainOptions& options);

// The state that a rank goes on from, with the counts of all; from starting topics where `chain` has none. Collective.
State state_of_rank(const CorpusView& corpus, const PartOfRank& part, const TrainOptions& options,
                    std::optional<ChainState> chain);

// start_chain_of_rank on options.device, a GPU. Options say how the whole corpus is drawn. Throws DeviceUnavailable in
// a build without CUDA.
std::unique_ptr<Chain> start_chain_of_rank_on_cuda(const CorpusView& corpus, const TrainOptions& options,
                                                   const ChainState* resume);

}  // namespace papilio::lda
