#include "lda/training/chain.h"

#include <utility>

#include "lda/training/chain_cpu.h"
#include "lda/training/progressive/progressive_chain.h"
#include "lda/training/progressive/progressive_start.h"

namespace papilio::lda {

std::unique_ptr<Chain> start_chain(const CorpusView& corpus, const TrainOptions& options,
                                   std::optional<ChainState> resume) {
  const StartSchedule schedule(corpus, options, resume ? resume->start : options.start);
  if (schedule.stride(resume ? resume->sweep + 1 : 1) != 1) {
    return std::make_unique<ProgressiveChain>(corpus, options, schedule, std::move(resume));
  }
  return go_on(corpus, options, std::move(resume));
}

std::unique_ptr<Chain> go_on(const CorpusView& corpus, const TrainOptions& options, std::optional<ChainState> resume) {
  if (options.device.is_cpu()) {
    return std::make_unique<CpuChain>(corpus, options, std::move(resume));
  }
  return start_chain_on_cuda(corpus, options, resume ? &*resume : nullptr);
}

}  // namespace papilio::lda
