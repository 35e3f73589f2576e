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

std::optional<PartOfRank> part_of_rank(const CorpusView& corpus, const TrainOptions& options) {
  if (!trains_over_ranks(options)) return {};
  return std::optional<PartOfRank>(std::in_place, corpus, options.ranks->rank(), options.ranks->ranks());
}

// Cuts the topics of all tokens down to those of this rank.
ChainState of_this_rank(ChainState whole, const RankDocuments& own) {
  whole.z.erase(whole.z.begin() + own.end_token, whole.z.end());
  whole.z.erase(whole.z.begin(), whole.z.begin() + own.first_token);
  return whole;
}

}  // namespace

ProgressiveChain::ProgressiveChain(const CorpusView& corpus, const TrainOptions& options, const StartSchedule& schedule,
                                   std::optional<ChainState> resume)
    : corpus_(corpus), options_(options), schedule_(schedule), own_(part_of_rank(corpus, options)) {
  // Errors that all documents would cause are reported before the first sweep.
  if (own_) {
    static_cast<void>(options_of_ranks(corpus, *own_, options));
  } else {
    static_cast<void>(Plan(corpus, options));
  }
  if (resume) {
    state_ = std::move(*resume);
  } else {
    state_ = {.z = own_ ? starting_topics(own_->view(), options, own_->place().first_token)
                        : starting_topics(corpus, options),
              .start = Start::progressive};
  }
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
    return lda::log_joint(own_->view(), *counted, counted->priors, options_.threads, ranks());
  }
  show_state([&](const ChainState& shown) {
    const State state = state_of(corpus_, options_, shown);
    result = lda::log_joint(corpus_, state, state.priors, options_.threads);
  });
  return result;
}

const State* ProgressiveChain::counted_state() {
  if (!own_) return nullptr;
  if (chain_ && !part_) return chain_->counted_state();
  if (chain_) chain_->show_state([this](const ChainState& part) { complete(part); });
  counted_ = state_of_rank(corpus_, *own_, options_, state_);
  return &counted_;
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
  if (own_) return make_chain_of(corpus_, std::move(state_))->take_state();
  return state_of(corpus_, options_, std::move(state_));
}

// `own` has the topics of all tokens of the corpus; over ranks, those of this rank's tokens.
std::unique_ptr<Chain> ProgressiveChain::make_chain_of(const CorpusView& corpus, ChainState own) const {
  if (own_) return start_chain_of_rank(corpus, options_, std::move(own));
  return make_chain(corpus, options_, std::move(own));
}

// From now on draws the documents 0, stride, 2 stride, ...
void ProgressiveChain::have_every(std::int64_t stride) {
  end_part();
  if (stride == 1) {
    counted_ = {};
    chain_ = make_chain_of(corpus_, std::move(state_));
    return;
  }
  part_.emplace(corpus_, stride, ranks());
  ChainState start = {.sweep = state_.sweep, .z = part_->take(state_.z), .alpha = state_.alpha, .beta = state_.beta};
  if (own_) {
    start = of_this_rank(std::move(start), documents_of_rank(part_->view(), ranks()->rank(), ranks()->ranks()));
  }
  chain_ = make_chain_of(part_->view(), std::move(start));
}

void ProgressiveChain::end_part() {
  if (!chain_) return;
  chain_->show_state([this](const ChainState& part) { complete(part); });
  chain_.reset();
  part_.reset();
}

// Takes over the part's topics and spreads them to all documents.
void ProgressiveChain::complete(const ChainState& part) {
  state_.sweep = part.sweep;
  state_.alpha = part.alpha;
  state_.beta = part.beta;
  if (own_) {
    part_->spread(options_, part.sweep, execution::join_everywhere(*ranks(), part.z), state_.z);
  } else {
    part_->spread(options_, part.sweep, part.z, state_.z);
  }
}

}  // namespace papilio::lda
