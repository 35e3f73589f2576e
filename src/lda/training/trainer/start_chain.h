#pragma once

#include <memory>
#include <optional>

#include "lda/training/chain/chain.h"
#include "papilio/lda.h"

namespace papilio::lda {

// A chain on options.device, from the start that the options ask for or from the topics of `resume`. The corpus
// must outlive it; options and topics are known to be valid. Over ranks the topics are those of this rank.
std::unique_ptr<Chain> start_chain(const CorpusView& corpus, const TrainOptions& options,
                                   std::optional<ChainState> resume);

}  // namespace papilio::lda
