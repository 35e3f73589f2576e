#include "lda/gibbs/chain.h"

#include <utility>

#include "base/check.h"
#include "lda/gibbs/cpu_chain.h"
#include "lda/gibbs/recipe.h"

namespace papilio::lda {

std::unique_ptr<Chain> start_chain(const CorpusView& corpus, const TrainOptions& options,
                                   std::optional<Topics> resume) {
  if (options.device.is_cpu()) {
    return std::make_unique<CpuChain>(corpus, options, std::move(resume));
  }
  base::require(!goes_token_by_token(options), "papilio::train: the sequential schedule runs on the CPU, not on {}",
                options.device.name());
  base::require(options.method == PartialSums::slots, "papilio::train: the method {} runs on the CPU, not on {}",
                name(options.method), options.device.name());
  return start_chain_on_cuda(corpus, options, resume ? &*resume : nullptr);
}

}  // namespace papilio::lda
