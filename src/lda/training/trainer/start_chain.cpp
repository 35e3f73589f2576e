#include "lda/training/trainer/start_chain.h"

#include <utility>

#include "lda/training/progressive/progressive_chain.h"
#include "lda/training/progressive/progressive_start.h"

namespace papilio::lda {

std::unique_ptr<Chain> start_chain(const CorpusView& corpus, const TrainOptions& options,
                                   std::optional<ChainState> resume) {
  const StartSchedule schedule(corpus, options, resume ? resume->start : options.start);
  if (schedule.stride(resume ? resume->sweep + 1 : 1) != 1) {
    return std::make_unique<ProgressiveChain>(corpus, options, schedule, std::move(resume));
  }
  return make_chain(corpus, options, std::move(resume));
}

}  // namespace papilio::lda
