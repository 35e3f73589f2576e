#include "lda/training/chain/chain.h"

#include <utility>

#include "lda/training/chain/chain_cpu.h"

namespace papilio::lda {

std::unique_ptr<Chain> make_chain(const CorpusView& corpus, const TrainOptions& options,
                                  std::optional<ChainState> resume) {
  if (options.device.is_cpu()) {
    return std::make_unique<CpuChain>(corpus, options, std::move(resume));
  }
  return start_chain_on_cuda(corpus, options, resume ? &*resume : nullptr);
}

}  // namespace papilio::lda
