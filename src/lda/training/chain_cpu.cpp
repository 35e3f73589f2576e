#include "lda/training/chain_cpu.h"

#include <utility>

#include "base/check.h"
#include "lda/evaluation/log_joint.h"
#include "lda/model/optimize_priors.h"
#include "lda/model/options.h"
#include "lda/training/dense/by_document_cpu.h"
#include "lda/training/dense/parallel_cpu.h"
#include "lda/training/initial_topics.h"
#include "lda/training/parameters/phi_table_cpu.h"
#include "lda/training/recipe.h"
#include "lda/training/sequential/sequential_cpu.h"
#include "lda/training/sparse/by_document/sweep_cpu.h"
#include "lda/training/sparse/parallel/sweep_cpu.h"

namespace papilio::lda {
namespace {

// phi for all, then the tokens given phi: all at once (ParallelSweep), or in the order of
// their documents (DocumentOrderSweep).
template <class Tokens>
class SweepGivenPhi final : public Sweep {
 public:
  SweepGivenPhi(const CorpusView& corpus, const TrainOptions& options)
      : recipe_(recipe_of(options.sampler)),
        seed_(options.seed),
        threads_(options.threads),
        phi_(corpus.vocabulary_size(), options.topics, options.threads),
        tokens_(corpus, options) {}

  void run(State& state) override {
    if (recipe_.phi == Parameter::drawn) {
      phi_.draw(state, seed_);
    } else {
      phi_.estimate(state);
    }
    tokens_.draw(state, phi_);
    state.count_topics(threads_);
  }

 private:
  const Recipe recipe_;
  const std::uint64_t seed_;
  const int threads_;
  PhiTable phi_;
  Tokens tokens_;
};

// Sparse draws of all tokens at once.
class SweepBySparseDraws final : public Sweep {
 public:
  SweepBySparseDraws(const CorpusView& corpus, const TrainOptions& options)
      : corpus_(corpus), threads_(options.threads), sparse_(make_sparse_sweep(corpus_, options)) {}

  void run(State& state) override {
    const std::int64_t entries = sparse_->count_documents(state);
    const sparse::Statistics drawn = sparse_->draw(state);
    has_topics_ = has_counts_ = false;
    const auto all = static_cast<double>(corpus_.tokens());
    draws_ = {.sparse = true,
              .topics_per_document = static_cast<double>(entries) / static_cast<double>(sparse_->documents()),
              .from_own = static_cast<double>(drawn.from_own) / all,
              .from_document = static_cast<double>(drawn.from_document) / all,
              .from_word = static_cast<double>(drawn.from_word) / all,
              .from_prior = static_cast<double>(drawn.from_prior) / all};
  }

  SweepDraws draws() const override { return draws_; }

  void settle_topics(State& state) override {
    if (!std::exchange(has_topics_, true)) sparse_->copy_topics(state);
  }

  void settle(State& state) override {
    settle_topics(state);
    if (std::exchange(has_counts_, true)) return;
    sparse_->copy_word_counts(state);
    state.count_topics(threads_);
  }

 private:
  const CorpusView corpus_;
  const int threads_;
  const std::unique_ptr<SparseSweep> sparse_;
  SweepDraws draws_;
  bool has_topics_ = true;  // the state
  bool has_counts_ = true;
};

State first_state(const CorpusView& corpus, const TrainOptions& options, std::optional<ChainState> resume) {
  if (resume) return state_of(corpus, options, std::move(*resume));
  return state_of(corpus, options,
                  {.z = initial_topics(corpus.tokens(), options.topics, options.seed, options.threads)});
}

}  // namespace

std::unique_ptr<Sweep> make_sweep(const CorpusView& corpus, const TrainOptions& options) {
  if (draws_sparsely(options, corpus.tokens())) {
    base::require(
        corpus.tokens() <= most_sparse_tokens && corpus.documents() <= most_sparse_tokens,
        "papilio::train: sparse draws number tokens by 32 bits; the corpus has {} tokens, expected at most {}",
        corpus.tokens(), most_sparse_tokens);
    if (goes_in_document_order(recipe_of(options.sampler))) return make_ordered_sweep(corpus, options);
    return std::make_unique<SweepBySparseDraws>(corpus, options);
  }
  if (goes_token_by_token(options)) return std::make_unique<SequentialSweep>(corpus, options);
  if (goes_in_document_order(recipe_of(options.sampler))) {
    return std::make_unique<SweepGivenPhi<DocumentOrderSweep>>(corpus, options);
  }
  return std::make_unique<SweepGivenPhi<ParallelSweep>>(corpus, options);
}

CpuChain::CpuChain(const CorpusView& corpus, const TrainOptions& options, std::optional<ChainState> resume)
    : corpus_(corpus),
      options_(options),
      sweep_(make_sweep(corpus_, options)),
      state_(first_state(corpus, options, std::move(resume))) {}

void CpuChain::sweep() {
  ++state_.sweep;
  sweep_->run(state_);
  if (optimizes_priors_after(options_, state_.sweep)) {
    sweep_->settle(state_);
    optimize_priors(corpus_, state_.z, state_.n_wk, state_.n_k, state_.priors, options_.threads);
  }
}

// z is in the topics while they are shown, and then in the state again.
void CpuChain::show_topics(base::FunctionRef<void(const ChainState&)> use) {
  struct Lent {
    Lent(State& of, const TrainOptions& options) : state(of), topics(take_topics(of, options)) {}
    ~Lent() { state.z = std::move(topics.z); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

    State& state;
    ChainState topics;
  };
  sweep_->settle_topics(state_);
  const Lent lent(state_, options_);
  use(lent.topics);
}

double CpuChain::log_joint() { return lda::log_joint(corpus_, state(), state_.priors, options_.threads); }

State CpuChain::take_state() {
  sweep_->settle(state_);
  return std::move(state_);
}

const State& CpuChain::state() {
  sweep_->settle(state_);
  return state_;
}

}  // namespace papilio::lda
