#include "lda/training/progressive/progressive_chain.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "execution/ranks/collectives.h"
#include "lda/evaluation/log_joint.h"
#include "lda/model/options.h"
#include "lda/model/state.h"
#include "lda/training/distributed/chain_of_rank.h"
#include "lda/training/parameters/initial_topics_cpu.h"
#include "lda/training/plan.h"
#include "papilio/distributed.h"

namespace papilio::lda {
namespace {

// The topics of all tokens, from those of this rank; collective.
ChainState of_all_ranks(ChainState own, const TrainOptions& options) {
  if (!trains_over_ranks(options)) return own;
  const auto all = execution::gather_everywhere(*options.ranks, std::as_bytes(std::span(own.z)));
  own.z.clear();
  for (const std::vector<std::byte>& bytes : all) {
    const auto* topics = reinterpret_cast<const std::int32_t*>(bytes.data());
    own.z.insert(own.z.end(), topics, topics + bytes.size() / sizeof(std::int32_t));
  }
  return own;
}

// The topics of this rank's tokens, from those of all.
ChainState of_this_rank(ChainState whole, const CorpusView& corpus, const TrainOptions& options) {
  if (!trains_over_ranks(options)) return whole;
  const RankDocuments own = documents_of_rank(corpus, options.ranks->rank(), options.ranks->ranks());
  whole.z.erase(whole.z.begin() + own.end_token, whole.z.end());
  whole.z.erase(whole.z.begin(), whole.z.begin() + own.first_token);
  return whole;
}

}  // namespace

ProgressiveChain::ProgressiveChain(const CorpusView& corpus, const TrainOptions& options, const StartSchedule& schedule,
                                   std::optional<ChainState> resume)
    : corpus_(corpus),
      options_(options),
      schedule_(schedule),
      state_(resume ? of_all_ranks(std::move(*resume), options)
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
  if (const State* const counted = counted_state()) {
    return lda::log_joint(corpus_, *counted, counted->priors, options_.threads);
  }
  show_state([&](const ChainState& shown) {
    const State state = state_of(corpus_, options_, shown);
    result = lda::log_joint(corpus_, state, state.priors, options_.threads);
  });
  return result;
}

const State* ProgressiveChain::counted_state() {
  if (!trains_over_ranks(options_)) return nullptr;
  if (chain_ && !part_) return chain_->counted_state();
  if (chain_) chain_->show_state([this](const ChainState& part) { complete(part); });
  counted_ = state_of(corpus_, options_, state_);
  return &counted_;
}

void ProgressiveChain::show_state(base::FunctionRef<void(const ChainState&)> use) {
  if (chain_ && !part_) return chain_->show_state(use);
  if (chain_) {
    chain_->show_state([this](const ChainState& part) { complete(part); });
  }
  if (!trains_over_ranks(options_)) return use(state_);
  use(of_this_rank(state_, corpus_, options_));
}

State ProgressiveChain::take_state() {
  if (chain_ && !part_) return chain_->take_state();
  end_part();
  if (trains_over_ranks(options_)) return make_chain_of(corpus_, std::move(state_))->take_state();
  return state_of(corpus_, options_, std::move(state_));
}

// From the topics of all tokens of a corpus.
std::unique_ptr<Chain> ProgressiveChain::make_chain_of(const CorpusView& corpus, ChainState whole) const {
  ChainState own = of_this_rank(std::move(whole), corpus, options_);
  if (trains_over_ranks(options_)) return start_chain_of_rank(corpus, options_, std::move(own));
  return make_chain(corpus, options_, std::move(own));
}

// The documents 0, stride, 2 stride, ... from now on.
void ProgressiveChain::have_every(std::int64_t stride) {
  end_part();
  if (stride == 1) {
    counted_ = {};
    chain_ = make_chain_of(corpus_, std::move(state_));
    return;
  }
  part_.emplace(corpus_, stride);
  chain_ = make_chain_of(
      part_->view(),
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
  if (trains_over_ranks(options_)) {
    part_->spread(options_, part.sweep, of_all_ranks(part, options_).z, state_.z);
  } else {
    part_->spread(options_, part.sweep, part.z, state_.z);
  }
}

}  // namespace papilio::lda
