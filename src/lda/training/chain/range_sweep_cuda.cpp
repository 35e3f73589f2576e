#include "lda/training/chain/range_sweep_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "lda/training/chain/tables_cuda.h"
#include "lda/training/log_joint/log_joint_cuda.h"
#include "lda/training/memory/seeds_on_device_cuda.h"
#include "lda/training/memory/token_ranges_cuda.h"
#include "lda/training/parameters/topic_counts_cuda.h"
#include "lda/training/priors/optimize_priors_cuda.h"
#include "lda/training/sequential/sequential_cuda.h"
#include "papilio/error.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

using execution::check;

// How many bytes remain for tokens and theta.
std::int64_t memory_for_tokens(const CudaStart& start, std::int64_t memory) {
  const CorpusView& corpus = start.whole();
  const TrainOptions& options = start.options;
  const bool asymmetric = options.optimize_every > 0 || !start.priors.is_symmetric();
  const std::int64_t needed =
      TablesOnDevice::bytes_needed(corpus, options, start.plan) +
      LogJointOnDevice::bytes_needed(corpus, start.seeds, options.topics, asymmetric) +
      (options.optimize_every > 0 ? OptimizedPriorsOnDevice::bytes_needed(corpus, start.seeds, options.topics) : 0);
  if (needed >= memory) {
    throw DeviceError(
        fmt::format("papilio::train: {} topics of {} words need {} bytes of device memory for their "
                    "tables alone, {} are free",
                    options.topics, corpus.vocabulary_size(), needed, memory));
  }
  return memory - needed;
}

// What the draws need for a range.
RangeNeeds range_needs(const Plan& plan, std::int32_t topics, const ByDocumentTuning& tuning) {
  if (plan.order == Order::token_by_token && plan.is_sparse) {
    return {.row = 0, .tokens_per_item = tokens_per_item(topics)};  // theta is integrated out; there is no table of it
  }
  if (plan.order != Order::by_document)
    return {.row = topic_stride(topics), .tokens_per_item = tokens_per_item(topics)};
  constexpr std::int64_t whole_document = std::numeric_limits<std::int32_t>::max();
  if (plan.is_sparse) {
    return {.row = counted_document_row(topics, tuning), .tokens_per_item = whole_document, .by_word = true};
  }
  return {.row = plan.by_slots ? by_document_row(topics) : 2 * topic_stride(topics), .tokens_per_item = whole_document};
}

class RangeSweep final : public CudaSweep {
 public:
  RangeSweep(const CudaStart& start, std::int64_t memory, const ByDocumentTuning& tuning);

  void run(std::int64_t sweep) override;
  void set_priors(const Priors& priors) override;
  SweepDraws draws() override;
  void optimize(Priors& priors) override;
  void make_lists(const WordLists& lists, std::span<const std::int32_t> words) override;
  double log_joint() override { return log_joint_(tokens_, tables_.n_wk, tables_.n_k); }
  std::vector<std::int32_t> z() override { return tokens_.topics(); }
  void count(State& state) override;
  std::int64_t bytes() const override {
    return tables_.bytes() + log_joint_.bytes() + tokens_.bytes() + start_of_counts_.bytes() +
           (optimized_priors_ ? optimized_priors_->bytes() : 0);
  }

 private:
  std::uint64_t stream_of(random::Purpose purpose) const {
    return random::stream(purpose, static_cast<std::uint32_t>(sweep_));
  }
  bool sparse_sequential() const { return plan_.order == Order::token_by_token && plan_.is_sparse; }
  void start_counts();
  void add_up_counts();
  double prior_mass() const { return static_cast<double>(corpus_.vocabulary_size()) * priors_.beta; }
  void queue_new_phi();
  void queue_new_theta(const RangeOnDevice& range);
  TopicDraw draw_of(const RangeOnDevice& range);
  void queue_all_at_once(const RangeOnDevice& range);
  void queue_by_document(const RangeOnDevice& range);
  void queue_sequential(const RangeOnDevice& range);
  void queue_sequential_sparse(const RangeOnDevice& first);

  const CorpusView corpus_;
  const Plan plan_;
  const ByDocumentTuning tuning_;
  const std::uint64_t seed_;
  const std::int32_t topics_;
  const cudaStream_t stream_;
  const DeviceRanks* const ranks_;
  const std::int64_t counted_;  // over all ranks: tokens, and the weights of seed words
  Priors priors_;
  std::int64_t sweep_ = 0;
  SeedsOnDevice start_of_counts_;
  TokenRanges tokens_;
  TablesOnDevice tables_;
  LogJointOnDevice log_joint_;
  std::optional<OptimizedPriorsOnDevice> optimized_priors_;  // if the options ask for them
};

RangeSweep::RangeSweep(const CudaStart& start, std::int64_t memory, const ByDocumentTuning& tuning)
    : corpus_(start.corpus),
      plan_(start.plan),
      tuning_(tuning),
      seed_(start.options.seed),
      topics_(start.options.topics),
      stream_(start.stream),
      ranks_(start.ranks),
      counted_(start.whole().tokens() + start.seeds.total()),
      priors_(start.priors),
      start_of_counts_(start.seeds, stream_),
      tokens_(corpus_, range_needs(plan_, topics_, tuning), memory_for_tokens(start, memory), start.options.threads,
              stream_, ranks_ != nullptr ? ranks_->place : PlaceInCorpus{}),
      tables_(corpus_, start.options, plan_),
      log_joint_(start.whole(), start.seeds, priors_, stream_, ranks_) {
  if (sparse_sequential()) {
    if (tokens_.is_streamed()) {
      throw DeviceError(
          "papilio::train: sparse draws of the sequential schedule need the whole corpus in device memory, where it "
          "does not fit; dense draws, or device cpu, do without");
    }
    tables_.sequential_sparse.set(corpus_, topics_, stream_);
  }
  if (start.options.optimize_every > 0) {
    optimized_priors_.emplace(start.whole(), start.seeds, topics_, stream_, ranks_);
  }
  tables_.phi.clear(stream_);
  tables_.set_priors(priors_, stream_);
  if (start.z != nullptr) tokens_.set_topics(*start.z);
  tables_.n_wk.clear(stream_);
  start_counts();
  start.seeds.for_each_word([&](std::span<const SeedWord> word) {
    if (ranks_ != nullptr && !ranks_->is_first()) return;
    const std::int64_t stride = count_stride(topics_);
    SeedsOnDevice::start_word(word, tables_.n_wk.data() + word.front().word * stride, stride, stream_);
  });
  const bool draws = start.z == nullptr;
  tokens_.for_each(draws, [&](const RangeOnDevice& range) {
    if (draws) queue_initial_topics(range, topics_, seed_, random::stream(random::Purpose::initial_topics));
    queue_word_counts(range, tables_.n_wk.data(), count_stride(topics_));
    queue_topic_counts(range, topics_, tables_.n_k.data());
  });
  add_up_counts();
}

// With ranks, only the first starts from seeds and n_wk, so the sum over ranks has these once, plus all moved tokens.
void RangeSweep::start_counts() {
  if (ranks_ == nullptr || ranks_->is_first()) return start_of_counts_.start_topics(tables_.n_k, stream_);
  tables_.n_k.clear(stream_);
  tables_.n_wk.clear(stream_);
}

void RangeSweep::add_up_counts() {
  if (ranks_ == nullptr) return;
  ranks_->sums.add_up(tables_.n_wk.data(), tables_.n_wk.size(), stream_);
  ranks_->sums.add_up(tables_.n_k.data(), tables_.n_k.size(), stream_);
  ranks_->sums.wait(stream_);
}

void RangeSweep::set_priors(const Priors& priors) {
  priors_ = priors;
  tables_.set_priors(priors, stream_);
  log_joint_.set_priors(priors);
}

void RangeSweep::optimize(Priors& priors) {
  const auto queue_words = [&](const CountHistograms& histograms) {
    queue_word_histogram(tables_.n_wk.data(), tables_.n_wk.size(), histograms, stream_);
  };
  const auto queue_documents = [&](const CountHistograms& histograms) {
    tokens_.for_each(false, [&](const RangeOnDevice& range) { queue_document_histograms(range, topics_, histograms); });
  };
  optimized_priors_.value()(queue_words, queue_documents, tables_.n_k, priors);
}

void RangeSweep::make_lists(const WordLists& lists, std::span<const std::int32_t>) {
  queue_mass_reciprocals(tables_.n_k.data(), prior_mass(), lists, stream_);
  queue_word_lists_of_table(lists, tables_.n_wk.data(), count_stride(topics_), stream_);
}

// A parameter that is integrated out is replaced by its estimate, and the draws remove the token from it.
void RangeSweep::queue_new_phi() {
  if (plan_.recipe.phi == Parameter::drawn) {
    queue_drawn_phi({.phi = tables_.phi.data(),
                     .stride = topic_stride(topics_),
                     .n_wk = tables_.n_wk.data(),
                     .n_wk_stride = count_stride(topics_),
                     .words = corpus_.vocabulary_size(),
                     .topics = topics_,
                     .tokens = counted_,
                     .beta = priors_.beta,
                     .seed = seed_,
                     .stream = stream_of(random::Purpose::phi),
                     .workspace = tables_.phi_sums.data()},
                    stream_);
    if (plan_.is_sparse) {
      tables_.sparse_statistics.clear(stream_);
      queue_prior_sums(tables_.prior_part(priors_), tables_.phi.data(), tables_.prior_totals.data(),
                       tables_.prior_sums.data(), corpus_.vocabulary_size(), stream_);
    }
    return;
  }
  queue_estimated_phi({.phi = tables_.phi.data(),
                       .stride = topic_stride(topics_),
                       .n_wk = tables_.n_wk.data(),
                       .n_wk_stride = count_stride(topics_),
                       .n_k = tables_.n_k.data(),
                       .words = corpus_.vocabulary_size(),
                       .topics = topics_,
                       .beta = priors_.beta,
                       .prior_mass = prior_mass()},
                      stream_);
  if (plan_.removes) {
    queue_removal_masses(tables_.n_k.data(), topics_, prior_mass(), tables_.removal_masses.data(), stream_);
  }
}

void RangeSweep::queue_new_theta(const RangeOnDevice& range) {
  if (plan_.recipe.theta == Parameter::drawn) {
    return queue_drawn_theta(range, {.theta = range.theta,
                                     .stride = topic_stride(topics_),
                                     .topics = topics_,
                                     .shape = tables_.theta_prior->shape(),
                                     .inverse = tables_.theta_prior->inverse(),
                                     .seed = seed_,
                                     .stream = stream_of(random::Purpose::theta)});
  }
  queue_estimated_theta(range, {.theta = range.theta,
                                .stride = topic_stride(topics_),
                                .topics = topics_,
                                .alpha = tables_.alpha.data(),
                                .at_zero = tables_.theta_at_zero.data()});
}

TopicDraw RangeSweep::draw_of(const RangeOnDevice& range) {
  TopicDraw draw = {.items = range.items,
                    .item_count = range.item_count,
                    .theta = range.theta,
                    .theta_stride = topic_stride(topics_),
                    .phi = tables_.phi.data(),
                    .phi_stride = topic_stride(topics_),
                    .words = range.words,
                    .z = range.z,
                    .topics = topics_,
                    .seed = seed_,
                    .stream = stream_of(random::Purpose::topics),
                    .first_token = range.first_token,
                    .n_wk = tables_.n_wk.data(),
                    .n_wk_stride = count_stride(topics_)};
  if (plan_.removes) {
    draw.removal = {.masses = tables_.removal_masses.data(),
                    .alpha = plan_.recipe.theta == Parameter::integrated_out ? tables_.alpha.data() : nullptr,
                    .beta = priors_.beta,
                    .stream = stream_of(random::Purpose::topics_again)};
  }
  return draw;
}

void RangeSweep::queue_all_at_once(const RangeOnDevice& range) {
  queue_new_theta(range);
  if (plan_.by_slots) return queue_parallel_draws(draw_of(range), range.stream);
  queue_parallel_draws_by_blocks(draw_of(range), tables_.block_tables.get(), range.stream);
}

void RangeSweep::queue_by_document(const RangeOnDevice& range) {
  if (plan_.is_sparse) {
    return queue_sparse_by_document_draws({.draw = draw_of(range),
                                           .prior = tables_.prior_part(priors_),
                                           .long_documents = range.long_documents,
                                           .very_long_documents = range.very_long_documents,
                                           .by_word = range.by_word,
                                           .rows = range.theta,
                                           .statistics = tables_.sparse_statistics.data()},
                                          tuning_, range.stream);
  }
  const double* alpha = tables_.alpha.data();
  if (plan_.by_slots) return queue_by_document_draws(draw_of(range), alpha, range.theta, range.stream);
  queue_by_document_draws_by_blocks(draw_of(range), alpha, range.theta, tables_.block_tables.get(), range.stream);
}

void RangeSweep::queue_sequential(const RangeOnDevice& range) {
  queue_new_theta(range);
  const SequentialDraw draw = {
      .draw = draw_of(range),
      .tables = tables_.block_tables.get(),
      .n_k = tables_.n_k.data(),
      .alpha = plan_.recipe.theta == Parameter::integrated_out ? tables_.alpha.data() : nullptr,
      .beta = priors_.beta,
      .prior_mass = prior_mass(),
      .masses = tables_.sequential_masses.data(),
      .n_dk = tables_.sequential_counts.data(),
      .phi = tables_.phi.data(),
  };
  queue_sequential_draws(range, draw, plan_.by_slots);
}

// All tokens are on the device, document after document; the first range shows where.
void RangeSweep::queue_sequential_sparse(const RangeOnDevice& first) {
  if (first.first_document > 0) return;
  DocumentRange all = first;
  all.documents = corpus_.documents();
  all.tokens = corpus_.tokens();
  SequentialSparse draw = tables_.sequential_sparse.arrays(topics_);
  draw.n_wk = tables_.n_wk.data();
  draw.stride = count_stride(topics_);
  draw.n_k = tables_.n_k.data();
  draw.alpha = tables_.alpha.data();
  draw.beta = priors_.beta;
  draw.prior_mass = prior_mass();
  draw.seed = seed_;
  draw.stream = stream_of(random::Purpose::topics);
  queue_sequential_sparse_draws(all, draw, corpus_.vocabulary_size(), tables_.sequential_sparse.counts.data());
}

// A token that changes its topic moves its count in n_wk: by then phi no longer needs the count, or follows it.
void RangeSweep::run(std::int64_t sweep) {
  sweep_ = sweep;
  const bool sequential = plan_.order == Order::token_by_token;
  if (!sequential) {
    queue_new_phi();
    start_counts();
  }
  tokens_.for_each(true, [&](const RangeOnDevice& range) {
    if (range.tokens == 0) return;
    switch (plan_.order) {
      case Order::all_at_once:
        queue_all_at_once(range);
        break;
      case Order::by_document:
        queue_by_document(range);
        break;
      case Order::token_by_token:
        if (plan_.is_sparse) {
          queue_sequential_sparse(range);
        } else {
          queue_sequential(range);
        }
        break;
    }
    if (!sequential) queue_topic_counts(range, topics_, tables_.n_k.data());
    // Ranges on different streams must not share tables, or counts that change.
    const bool shares = sequential || !plan_.by_slots;
    if (shares && tokens_.is_streamed()) check(cudaStreamSynchronize(range.stream), "draws on the device");
  });
  add_up_counts();
}

SweepDraws RangeSweep::draws() {
  if (!plan_.is_sparse || sweep_ == 0) return {};
  sparse::Statistics sums = {};
  std::int64_t counts[2] = {};  // for the sequential schedule
  if (sparse_sequential()) {
    tables_.sequential_sparse.counts.download(counts, 2, stream_);
  } else {
    tables_.sparse_statistics.download(&sums, 1, stream_);
  }
  check(cudaStreamSynchronize(stream_), "a copy from the device");
  if (sparse_sequential()) sums.entries = counts[0], sums.from_document = counts[1];
  const double share = static_cast<double>(sums.from_document) / std::max(1.0, static_cast<double>(corpus_.tokens()));
  SweepDraws draws;
  draws.sparse = true;
  draws.topics_per_document =
      static_cast<double>(sums.entries) / std::max(1.0, static_cast<double>(tokens_.documents()));
  draws.from_document = share;
  draws.from_prior = 1 - share;
  return draws;
}

void RangeSweep::count(State& state) {
  state.n_k.resize(static_cast<std::size_t>(topics_));
  tables_.n_k.download(state.n_k.data(), topics_, stream_);
  const auto words = static_cast<std::size_t>(corpus_.vocabulary_size());
  const auto row = static_cast<std::size_t>(topics_) * sizeof(std::int32_t);
  state.n_wk.resize(words * static_cast<std::size_t>(topics_));
  check(cudaMemcpy2DAsync(state.n_wk.data(), row, tables_.n_wk.data(),
                          static_cast<std::size_t>(count_stride(topics_)) * sizeof(std::int32_t), row, words,
                          cudaMemcpyDeviceToHost, stream_),
        "a copy from the device");
  check(cudaStreamSynchronize(stream_), "a copy from the device");
}

}  // namespace

std::unique_ptr<CudaSweep> make_range_sweep(const CudaStart& start, std::int64_t memory,
                                            const ByDocumentTuning& tuning) {
  return std::make_unique<RangeSweep>(start, memory, tuning);
}

}  // namespace papilio::lda
