#include "lda/training/distributed/chain_of_rank.h"

#include <utility>

#include "base/check.h"
#include "lda/corpus/part_of_rank.h"
#include "lda/model/options.h"
#include "lda/training/chain/chain_cpu.h"
#include "lda/training/distributed/dense_sweep_cpu.h"
#include "lda/training/distributed/sparse_sweep_cpu.h"
#include "lda/training/parameters/initial_topics_cpu.h"
#include "lda/training/plan.h"
#include "papilio/primitives.h"

namespace papilio::lda {

void count_over_ranks(const CorpusView& corpus, State& state, int threads, Communicator& ranks) {
  count_words(corpus, state.z, state.topics, threads, state.n_wk);
  ranks.add_up(state.n_wk);
  state.seeds.add_to_words(state.n_wk);
  state.n_k.assign(static_cast<std::size_t>(state.topics), 0);
  histogram(state.z, VectorView<std::int64_t>(state.n_k), threads);
  ranks.add_up(state.n_k);
  state.seeds.add_to_topics(state.n_k);
}

namespace {

std::unique_ptr<CpuSweep> make_sweep_of_rank(const CorpusView& part, const TrainOptions& options, Communicator& ranks) {
  const Plan plan(part, options);
  if (plan.is_sparse && plan.order == Order::all_at_once) {
    return make_sparse_sweep_of_rank(part, options, plan, ranks);
  }
  std::unique_ptr<CpuSweep> sweep = part.tokens() > 0 ? make_cpu_sweep(part, options) : nullptr;
  return std::make_unique<SweepOfRank>(part, options.threads, std::move(sweep), ranks);
}

class ChainOfRank final : public Chain {
 public:
  ChainOfRank(const CorpusView& corpus, const TrainOptions& options, std::optional<ChainState> resume)
      : part_(corpus, options.ranks->rank(), options.ranks->ranks()),
        options_(options),
        chain_(part_.view(), options_, make_sweep_of_rank(part_.view(), options_, *options.ranks),
               state_of_rank(corpus, part_, options_, std::move(resume)), options.ranks) {}

  void sweep() override { chain_.sweep(); }
  void wait() override {}
  std::int64_t sweeps() const override { return chain_.sweeps(); }
  SweepDraws draws() override { return chain_.draws(); }
  double log_joint() override { return chain_.log_joint(); }
  void show_state(base::FunctionRef<void(const ChainState&)> use) override { chain_.show_state(use); }
  const State* counted_state() override { return &chain_.state(); }
  State take_state() override { return chain_.take_state(); }

 private:
  const PartOfRank part_;
  const TrainOptions options_;
  CpuChain chain_;
};

}  // namespace

State state_of_rank(const CorpusView& corpus, const PartOfRank& part, const TrainOptions& options,
                    std::optional<ChainState> chain) {
  if (!chain) chain = ChainState{.z = starting_topics(part.view(), options, part.place().first_token)};
  State state;
  state.topics = options.topics;
  state.sweep = chain->sweep;
  state.priors = priors_of(options, &*chain);
  state.start = chain->start;
  state.seeds = seeds_of_options(corpus, options, "train");
  state.place = {part.place().first_document, part.place().first_token, corpus.tokens()};
  state.z = std::move(chain->z);
  count_over_ranks(part.view(), state, options.threads, *options.ranks);
  return state;
}

TrainOptions options_of_ranks(const CorpusView& corpus, const PartOfRank& part, const TrainOptions& options) {
  TrainOptions of_whole = options;
  of_whole.draws = draws_of(options, corpus.tokens());
  base::require(Plan(part.view(), of_whole).order != Order::token_by_token,
                "papilio::train: the sequential schedule draws one token after the other, which {} ranks cannot do; "
                "expected the schedule parallel",
                options.ranks->ranks());
  std::int32_t heaviest = 0;
  for (const SeedWord& seed : options.seed_words) heaviest = std::max(heaviest, seed.weight);
  require_countable_over_ranks(part.view(), corpus.tokens(), options.threads, heaviest, *options.ranks);
  return of_whole;
}

std::unique_ptr<Chain> start_chain_of_rank(const CorpusView& corpus, const TrainOptions& options,
                                           std::optional<ChainState> resume) {
  const TrainOptions of_whole =
      options_of_ranks(corpus, PartOfRank(corpus, options.ranks->rank(), options.ranks->ranks()), options);
  if (!options.device.is_cpu()) return start_chain_of_rank_on_cuda(corpus, of_whole, resume ? &*resume : nullptr);
  return std::make_unique<ChainOfRank>(corpus, of_whole, std::move(resume));
}

}  // namespace papilio::lda
