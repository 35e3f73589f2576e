#include "lda/training/chain/chain_cpu.h"

#include <utility>

#include "lda/evaluation/log_joint.h"
#include "lda/model/optimize_priors.h"
#include "lda/model/options.h"
#include "lda/training/alias/sweep_cpu.h"
#include "lda/training/dense/by_document_cpu.h"
#include "lda/training/dense/parallel_cpu.h"
#include "lda/training/parameters/initial_topics_cpu.h"
#include "lda/training/plan.h"
#include "lda/training/sequential/sequential_cpu.h"
#include "lda/training/sequential/sparse_cpu.h"
#include "lda/training/sparse/by_document/sweep_cpu.h"
#include "lda/training/sparse/parallel/sweep_cpu.h"

namespace papilio::lda {
std::unique_ptr<CpuSweep> make_cpu_sweep(const CorpusView& corpus, const TrainOptions& options) {
  const Plan plan(corpus, options);
  if (plan.by_alias) return make_alias_sweep(corpus, options, plan);
  switch (plan.order) {
    case Order::token_by_token:
      if (plan.is_sparse) return make_sequential_sparse_sweep(corpus, options);
      return std::make_unique<SequentialSweep>(corpus, options, plan);
    case Order::by_document:
      if (plan.is_sparse) return make_sparse_by_document_sweep(corpus, options);
      return std::make_unique<ByDocumentSweep>(corpus, options);
    case Order::all_at_once:
      break;
  }
  if (plan.is_sparse) return make_sparse_parallel_sweep(corpus, options, plan);
  return std::make_unique<ParallelSweep>(corpus, options, plan);
}

namespace {

State first_state(const CorpusView& corpus, const TrainOptions& options, std::optional<ChainState> resume) {
  if (resume) return state_of(corpus, options, std::move(*resume));
  return state_of(corpus, options, {.z = starting_topics(corpus, options)});
}

}  // namespace

CpuChain::CpuChain(const CorpusView& corpus, const TrainOptions& options, std::optional<ChainState> resume)
    : corpus_(corpus),
      options_(options),
      sweep_(make_cpu_sweep(corpus_, options)),
      state_(first_state(corpus, options, std::move(resume))) {}

CpuChain::CpuChain(const CorpusView& part, const TrainOptions& options, std::unique_ptr<CpuSweep> sweep, State state,
                   Communicator* ranks)
    : corpus_(part), options_(options), sweep_(std::move(sweep)), state_(std::move(state)), ranks_(ranks) {}

void CpuChain::sweep() {
  ++state_.sweep;
  sweep_->run(state_);
  if (optimizes_priors_after(options_, state_.sweep)) {
    sweep_->settle(state_);
    optimize_priors(corpus_, state_.z, state_.n_wk, state_.n_k, state_.priors, options_.threads, {}, state_.seeds,
                    ranks_);
  }
}

// Moves z out of the state while it is shown, and back into it afterwards.
void CpuChain::show_state(base::FunctionRef<void(const ChainState&)> use) {
  struct Lent {
    Lent(State& of, const TrainOptions& options) : state(of), shown(take_chain_state(of, options)) {}
    ~Lent() { state.z = std::move(shown.z); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

    State& state;
    ChainState shown;
  };
  sweep_->settle_z(state_);
  const Lent lent(state_, options_);
  use(lent.shown);
}

double CpuChain::log_joint() { return lda::log_joint(corpus_, state(), state_.priors, options_.threads, ranks_); }

State CpuChain::take_state() {
  sweep_->settle(state_);
  return std::move(state_);
}

const State& CpuChain::state() {
  sweep_->settle(state_);
  return state_;
}

}  // namespace papilio::lda
