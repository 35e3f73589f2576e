#include "lda/gibbs/chain.h"

#include <utility>

#include "lda/gibbs/cpu_chain.h"

namespace papilio::lda {

std::unique_ptr<Chain> start_chain(const CorpusView& corpus, const TrainOptions& options,
                                   std::optional<Topics> resume) {
  if (options.device.is_cpu()) {
    return std::make_unique<CpuChain>(corpus, options, std::move(resume));
  }
  return start_chain_on_cuda(corpus, options, resume ? &*resume : nullptr);
}

}  // namespace papilio::lda
