#include "lda/gibbs/chain.h"

#include <utility>

#include "lda/evaluation/log_joint.h"
#include "lda/gibbs/mean_for_mode.h"

namespace papilio::lda {
namespace {

class ChainOnCpu final : public Chain {
 public:
  ChainOnCpu(const CorpusView& corpus, const TrainOptions& options, const Topics* resume)
      : corpus_(corpus),
        options_(options),
        by_word_(group_by_word(corpus, options.threads)),
        sampler_(corpus, by_word_, options),
        state_(resume != nullptr ? resumed(*resume) : sampler_.initial_state()) {}

  void sweep() override { sampler_.sweep(state_); }
  void wait() override {}
  std::int64_t sweeps() const override { return state_.sweep; }
  double log_joint() override {
    return lda::log_joint(corpus_, state_, options_.alpha, options_.beta, options_.threads);
  }
  State take_state() override { return std::move(state_); }

 private:
  State resumed(const Topics& topics) const {
    State state;
    state.topics = options_.topics;
    state.sweep = topics.sweep;
    state.z = topics.z;
    state.count(by_word_, options_.threads);
    return state;
  }

  const CorpusView corpus_;
  const TrainOptions options_;
  const TokensByWord by_word_;
  MeanForMode sampler_;
  State state_;
};

}  // namespace

std::unique_ptr<Chain> start_chain(const CorpusView& corpus, const TrainOptions& options, const Topics* resume) {
  if (options.device.is_cpu()) {
    return std::make_unique<ChainOnCpu>(corpus, options, resume);
  }
  return start_chain_on_cuda(corpus, options, resume);
}

}  // namespace papilio::lda
