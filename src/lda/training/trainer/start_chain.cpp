#include "lda/training/trainer/start_chain.h"

#include <utility>

#include "base/check.h"
#include "lda/model/options.h"
#include "lda/training/distributed/chain_of_rank.h"
#include "lda/training/progressive/progressive_chain.h"
#include "lda/training/progressive/progressive_start.h"

namespace papilio::lda {
namespace {

// A start that was requested by name must be that of the resumed chain.
void require_start(const CorpusView& corpus, const TrainOptions& options, const ChainState& resume) {
  if (options.start == Start::automatic) return;
  const bool grows = StartSchedule(corpus, options, options.start).stride(1) != 1;
  const Start wanted = grows ? Start::progressive : Start::uniform;
  base::require(resume.start == wanted,
                "papilio::train: start is {}, but the chain to resume started as {}; expected {} or automatic",
                name(options.start), name(resume.start), name(resume.start));
}

}  // namespace

std::unique_ptr<Chain> start_chain(const CorpusView& corpus, const TrainOptions& options,
                                   std::optional<ChainState> resume) {
  if (resume) require_start(corpus, options, *resume);
  const StartSchedule schedule(corpus, options, resume ? resume->start : options.start);
  if (schedule.stride(resume ? resume->sweep + 1 : 1) != 1) {
    return std::make_unique<ProgressiveChain>(corpus, options, schedule, std::move(resume));
  }
  if (trains_over_ranks(options)) return start_chain_of_rank(corpus, options, std::move(resume));
  return make_chain(corpus, options, std::move(resume));
}

}  // namespace papilio::lda
