#include "lda/training/progressive/progressive_chain.h"

#include <utility>

#include "lda/evaluation/log_joint.h"
#include "lda/model/state.h"
#include "lda/training/parameters/initial_topics_cpu.h"
#include "lda/training/plan.h"

namespace papilio::lda {

ProgressiveChain::ProgressiveChain(const CorpusView& corpus, const TrainOptions& options, const StartSchedule& schedule,
                                   std::optional<ChainState> resume)
    : corpus_(corpus),
      options_(options),
      schedule_(schedule),
      state_(resume ? std::move(*resume)
                    : ChainState{.z = starting_topics(corpus, options), .start = Start::progressive}) {
  const Plan all(corpus, options);  // what cannot be done with all documents is said before the first sweep
  static_cast<void>(all);
}

void ProgressiveChain::sweep() {
  const std::int64_t stride = schedule_.stride(sweeps() + 1);
  if (!chain_ || stride != (part_ ? part_->stride() : 1)) have_every(stride);
  chain_->sweep();
}

void ProgressiveChain::wait() {
  if (chain_) chain_->wait();
}

std::int64_t ProgressiveChain::sweeps() const { return chain_ ? chain_->sweeps() : state_.sweep; }

double ProgressiveChain::share() const {
  return part_ ? static_cast<double>(part_->view().tokens()) / static_cast<double>(corpus_.tokens()) : 1;
}

double ProgressiveChain::log_joint() {
  if (chain_ && !part_) return chain_->log_joint();
  double result = 0;
  show_state([&](const ChainState& shown) {
    const State state = state_of(corpus_, options_, shown);
    result = lda::log_joint(corpus_, state, state.priors, options_.threads);
  });
  return result;
}

void ProgressiveChain::show_state(base::FunctionRef<void(const ChainState&)> use) {
  if (chain_ && !part_) return chain_->show_state(use);
  if (chain_) {
    chain_->show_state([this](const ChainState& part) { complete(part); });
  }
  use(state_);
}

State ProgressiveChain::take_state() {
  if (chain_ && !part_) return chain_->take_state();
  end_part();
  return state_of(corpus_, options_, std::move(state_));
}

// The documents 0, stride, 2 stride, ... from now on.
void ProgressiveChain::have_every(std::int64_t stride) {
  end_part();
  if (stride == 1) {
    chain_ = make_chain(corpus_, options_, std::move(state_));
    return;
  }
  part_.emplace(corpus_, stride);
  chain_ = make_chain(
      part_->view(), options_,
      ChainState{.sweep = state_.sweep, .z = part_->take(state_.z), .alpha = state_.alpha, .beta = state_.beta});
}

void ProgressiveChain::end_part() {
  if (!chain_) return;
  chain_->show_state([this](const ChainState& part) { complete(part); });
  chain_.reset();
  part_.reset();
}

// Takes over the part's topics and spreads them.
void ProgressiveChain::complete(const ChainState& part) {
  state_.sweep = part.sweep;
  state_.alpha = part.alpha;
  state_.beta = part.beta;
  part_->spread(options_, part.sweep, part.z, state_.z);
}

}  // namespace papilio::lda
