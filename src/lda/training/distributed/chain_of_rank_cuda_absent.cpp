#include <fmt/format.h>

#include "lda/training/distributed/chain_of_rank.h"
#include "papilio/error.h"

// Replaces chain_of_rank_cuda.cpp in a build without CUDA, where no Device is a CUDA device.

namespace papilio::lda {

std::unique_ptr<Chain> start_chain_of_rank_on_cuda(const CorpusView&, const TrainOptions& options, const ChainState*) {
  throw DeviceUnavailable(
      fmt::format("papilio::train: {} was asked for, but this build has no CUDA support", options.device.name()));
}

}  // namespace papilio::lda
