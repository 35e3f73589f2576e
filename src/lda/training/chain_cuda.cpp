#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "execution/cuda/memory.h"
#include "lda/model/optimize_priors.h"
#include "lda/model/options.h"
#include "lda/training/chain.h"
#include "lda/training/device/tables_cuda.h"
#include "lda/training/device/token_ranges_cuda.h"
#include "lda/training/log_joint/log_joint_on_device.h"
#include "lda/training/sequential/sequential_cuda.h"
#include "lda/training/sparse/by_document/draws_cuda.h"
#include "lda/training/sparse/by_document/sweep_cpu.h"
#include "lda/training/sparse/parallel/chain_cuda.h"
#include "papilio/error.h"
#include "papilio/primitives.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

using execution::check;
using execution::OnDevice;

// Left free where no limit is given: the driver needs memory for kernels and their stacks.
constexpr std::int64_t driver_share = 32;  // one part in so many

std::int64_t memory_to_use(std::int64_t limit) {
  if (limit > 0) return limit;
  const std::int64_t free = execution::free_device_bytes();
  return free - free / driver_share;
}

// A count of n_wk must not leave 32 bits.
void require_countable(const CorpusView& corpus, int threads) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (corpus.tokens() <= most) return;
  std::vector<std::int64_t> occurrences(static_cast<std::size_t>(corpus.vocabulary_size()));
  histogram(corpus.words, occurrences, threads);
  const auto word = std::max_element(occurrences.begin(), occurrences.end());
  base::require(*word <= most, "papilio: word {} occurs {} times, expected at most 2^31 - 1",
                word - occurrences.begin(), *word);
}

// A document whose tokens are drawn in order is one item.
void require_short_documents(const CorpusView& corpus) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (std::size_t d = 1; d < corpus.document_offsets.size(); ++d) {
    const std::int64_t tokens = corpus.document_offsets[d] - corpus.document_offsets[d - 1];
    base::require(tokens <= most,
                  "papilio::train: document {} has {} tokens, expected at most 2^31 - 1 for the sampler {} on a GPU",
                  d - 1, tokens, name(Sampler::theta_collapsed));
  }
}

// What the CPU asks for as well.
void require_ordered_corpus(const CorpusView& corpus) {
  base::require(corpus.tokens() <= most_sparse_tokens, "papilio::train: {} tokens, sparse draws take at most 2^32 - 1",
                corpus.tokens());
  require_ordered_documents(corpus);
}

// The one table whose last bits depend on where a row is among those that are drawn with it, which
// only one token at a time makes the same everywhere.
void require_same_anywhere(const TrainOptions& options) {
  const bool depends_on_place = options.method == PartialSums::butterfly_add_subtract ||
                                options.method == PartialSums::butterfly_add_subtract_remnant_first;
  base::require(
      !depends_on_place || goes_token_by_token(options),
      "papilio::train: on {} the method {} would not give the model of the CPU, because its roundings depend "
      "on a token's place among those that are drawn together; butterfly_swap has the same table without that",
      options.device.name(), name(options.method));
}

// Bytes left for tokens and theta.
std::int64_t memory_for_tokens(const CorpusView& corpus, const TrainOptions& options, const Priors& priors,
                               std::int64_t memory) {
  const bool asymmetric = options.optimize_every > 0 || !priors.is_symmetric();
  const std::int64_t needed =
      TablesOnDevice::bytes(corpus, options) + LogJointOnDevice::bytes(corpus, options.topics, asymmetric);
  if (needed >= memory) {
    throw DeviceError(
        fmt::format("papilio::train: {} topics of {} words need {} bytes of device memory for their "
                    "tables alone, {} are free",
                    options.topics, corpus.vocabulary_size(), needed, memory));
  }
  return memory - needed;
}

// A chain with all of its state on a CUDA device, the current one when it is made.
class CudaChain final : public Chain {
 public:
  CudaChain(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume, std::int64_t memory_limit,
            const OrderedTuning& tuning);

  void sweep() override;
  void wait() override {
    const OnDevice here(options_.device);
    stream_.wait();
  }
  std::int64_t sweeps() const override { return sweep_; }
  SweepDraws draws() override;
  double log_joint() override;
  void show_topics(base::FunctionRef<void(const ChainState&)> use) override;
  State take_state() override { return state(); }

 private:
  void start(const ChainState* resume);
  std::uint64_t stream_of(random::Purpose purpose) const {
    return random::stream(purpose, static_cast<std::uint32_t>(sweep_));
  }
  double prior_mass() const { return static_cast<double>(corpus_.vocabulary_size()) * priors_.beta; }
  void queue_new_phi();
  void queue_new_theta(const RangeOnDevice& range);
  TopicDraw draw_of(const RangeOnDevice& range);
  void queue_draws(const RangeOnDevice& range);
  void queue_draws_in_sequence(const RangeOnDevice& range);
  void take_better_priors();
  State state();

  const CorpusView corpus_;
  const TrainOptions options_;
  const Recipe recipe_;
  const OrderedTuning tuning_;
  const bool is_sparse_;
  const std::int32_t topics_;
  Priors priors_;
  std::int64_t sweep_ = 0;
  execution::Stream stream_;
  TokenRanges tokens_;
  TablesOnDevice tables_;
  LogJointOnDevice log_joint_;
};

CudaChain::CudaChain(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume,
                     std::int64_t memory_limit, const OrderedTuning& tuning)
    : corpus_(corpus),
      options_(options),
      recipe_(recipe_of(options.sampler)),
      tuning_(tuning),
      is_sparse_(draws_sparsely_in_order(corpus, options)),
      topics_(options.topics),
      priors_(priors_of(options, resume)),
      tokens_(corpus_, range_needs(corpus, options, tuning),
              memory_for_tokens(corpus, options, priors_, memory_to_use(memory_limit)), options.threads, stream_.get()),
      tables_(corpus, options),
      log_joint_(corpus_, priors_, stream_.get()) {
  tables_.phi.clear(stream_.get());
  tables_.set_priors(priors_, stream_.get());
  start(resume);
}

// Topics to begin with, and their counts.
void CudaChain::start(const ChainState* resume) {
  if (resume != nullptr) {
    sweep_ = resume->sweep;
    tokens_.set_topics(resume->z);
  }
  tables_.n_wk.clear(stream_.get());
  tables_.n_k.clear(stream_.get());
  const bool draws = resume == nullptr;
  tokens_.for_each(draws, [&](const RangeOnDevice& range) {
    if (draws) {
      queue_initial_topics(range, topics_, options_.seed, random::stream(random::Purpose::initial_topics));
    }
    queue_word_counts(range, tables_.n_wk.data(), tables_.n_wk_stride);
    queue_topic_counts(range, topics_, tables_.n_k.data());
  });
  stream_.wait();  // so that the time of the first sweep is its own
}

// What is integrated out has its estimate in its place, out of which draws take the token.
void CudaChain::queue_new_phi() {
  if (recipe_.phi == Parameter::drawn) {
    queue_drawn_phi({.phi = tables_.phi.data(),
                     .stride = topic_stride(topics_),
                     .n_wk = tables_.n_wk.data(),
                     .n_wk_stride = tables_.n_wk_stride,
                     .words = corpus_.vocabulary_size(),
                     .topics = topics_,
                     .tokens = corpus_.tokens(),
                     .beta = priors_.beta,
                     .seed = options_.seed,
                     .stream = stream_of(random::Purpose::phi),
                     .workspace = tables_.phi_sums.data()},
                    stream_.get());
    if (is_sparse_) {
      tables_.ordered_counters.clear(stream_.get());
      queue_prior_sums(tables_.prior_part(priors_), tables_.phi.data(), tables_.prior_totals.data(),
                       tables_.prior_sums.data(), corpus_.vocabulary_size(), stream_.get());
    }
    return;
  }
  queue_phi({.phi = tables_.phi.data(),
             .stride = topic_stride(topics_),
             .n_wk = tables_.n_wk.data(),
             .n_wk_stride = tables_.n_wk_stride,
             .n_k = tables_.n_k.data(),
             .words = corpus_.vocabulary_size(),
             .topics = topics_,
             .beta = priors_.beta,
             .prior_mass = prior_mass()},
            stream_.get());
  if (recipe_.phi == Parameter::integrated_out) {
    queue_topic_masses(tables_.n_k.data(), topics_, prior_mass(), tables_.masses.data(), stream_.get());
  }
}

void CudaChain::queue_new_theta(const RangeOnDevice& range) {
  if (recipe_.theta == Parameter::drawn) {
    return queue_drawn_theta(range, {.theta = range.theta,
                                     .stride = topic_stride(topics_),
                                     .topics = topics_,
                                     .shape = tables_.theta_prior->shape(),
                                     .inverse = tables_.theta_prior->inverse(),
                                     .seed = options_.seed,
                                     .stream = stream_of(random::Purpose::theta)});
  }
  queue_theta(range, {.theta = range.theta,
                      .stride = topic_stride(topics_),
                      .topics = topics_,
                      .alpha = tables_.alpha.data(),
                      .at_zero = tables_.theta_at_zero.data()});
}

TopicDraw CudaChain::draw_of(const RangeOnDevice& range) {
  TopicDraw draw = {.items = range.items,
                    .item_count = range.item_count,
                    .theta = range.theta,
                    .theta_stride = topic_stride(topics_),
                    .phi = tables_.phi.data(),
                    .phi_stride = topic_stride(topics_),
                    .words = range.words,
                    .z = range.z,
                    .topics = topics_,
                    .seed = options_.seed,
                    .stream = stream_of(random::Purpose::topics),
                    .first_token = range.first_token,
                    .n_wk = tables_.n_wk.data(),
                    .n_wk_stride = tables_.n_wk_stride};
  if (recipe_.phi == Parameter::integrated_out) {
    draw.removal = {.masses = tables_.masses.data(),
                    .alpha = recipe_.theta == Parameter::integrated_out ? tables_.alpha.data() : nullptr,
                    .beta = priors_.beta,
                    .stream = stream_of(random::Purpose::topics_again)};
  }
  return draw;
}

// A token that changes its topic moves its count in n_wk: phi is done with it by then.
void CudaChain::queue_draws(const RangeOnDevice& range) {
  const BlockTables& tables = tables_.block_tables.get();
  const bool by_slots = options_.method == PartialSums::slots;
  if (is_sparse_) {
    return queue_sparse_ordered_draws({.draw = draw_of(range),
                                       .prior = tables_.prior_part(priors_),
                                       .long_documents = range.long_documents,
                                       .very_long_documents = range.very_long_documents,
                                       .by_word = range.by_word,
                                       .rows = range.theta,
                                       .counters = tables_.ordered_counters.data()},
                                      tuning_, range.stream);
  }
  if (goes_in_document_order(recipe_)) {
    const double* alpha = tables_.alpha.data();
    if (by_slots) return queue_ordered_draws(draw_of(range), alpha, range.theta, range.stream);
    return queue_ordered_draws_by_blocks(draw_of(range), alpha, range.theta, tables, range.stream);
  }
  queue_new_theta(range);
  if (by_slots) return queue_topic_draws(draw_of(range), range.stream);
  queue_topic_draws_by_blocks(draw_of(range), tables, range.stream);
}

void CudaChain::queue_draws_in_sequence(const RangeOnDevice& range) {
  queue_new_theta(range);
  const SequentialDraw draw = {
      .draw = draw_of(range),
      .tables = tables_.block_tables.get(),
      .n_k = tables_.n_k.data(),
      .alpha = recipe_.theta == Parameter::integrated_out ? tables_.alpha.data() : nullptr,
      .beta = priors_.beta,
      .prior_mass = prior_mass(),
      .masses = tables_.sequential_masses.data(),
      .n_dk = tables_.sequential_counts.data(),
      .phi = tables_.phi.data(),
  };
  queue_sequential_draws(range, draw, options_.method == PartialSums::slots);
}

void CudaChain::sweep() {
  const OnDevice here(options_.device);
  ++sweep_;
  const bool in_sequence = goes_token_by_token(options_);
  if (!in_sequence) {
    queue_new_phi();
    tables_.n_k.clear(stream_.get());
  }
  tokens_.for_each(true, [&](const RangeOnDevice& range) {
    in_sequence ? queue_draws_in_sequence(range) : queue_draws(range);
    if (!in_sequence) queue_topic_counts(range, topics_, tables_.n_k.data());
    // Ranges on streams of their own must not share tables, or counts as they change.
    const bool shares = in_sequence || options_.method != PartialSums::slots;
    if (shares && tokens_.is_streamed()) check(cudaStreamSynchronize(range.stream), "draws on the device");
  });
  if (optimizes_priors_after(options_, sweep_)) take_better_priors();
}

// On the host, from the topics and counts that the sweep has led to.
void CudaChain::take_better_priors() {
  const State now = state();
  optimize_priors(corpus_, now.z, now.n_wk, now.n_k, priors_, options_.threads);
  tables_.set_priors(priors_, stream_.get());
  log_joint_.set_priors(priors_);
}

double CudaChain::log_joint() {
  const OnDevice here(options_.device);
  return log_joint_(tokens_, tables_.n_wk, tables_.n_k);
}

SweepDraws CudaChain::draws() {
  if (!is_sparse_ || sweep_ == 0) return {};
  const OnDevice here(options_.device);
  OrderedCounters sums = {};
  tables_.ordered_counters.download(&sums, 1, stream_.get());
  stream_.wait();
  const double share = static_cast<double>(sums.from_document) / static_cast<double>(corpus_.tokens());
  SweepDraws draws;
  draws.sparse = true;
  draws.topics_per_document = static_cast<double>(sums.entries) / static_cast<double>(tokens_.documents());
  draws.from_document = share;
  draws.from_prior = 1 - share;
  return draws;
}

void CudaChain::show_topics(base::FunctionRef<void(const ChainState&)> use) {
  const OnDevice here(options_.device);
  State now;
  now.sweep = sweep_;
  now.priors = priors_;
  now.z = tokens_.topics();
  use(take_topics(now, options_));
}

State CudaChain::state() {
  const OnDevice here(options_.device);
  State state;
  state.topics = topics_;
  state.sweep = sweep_;
  state.priors = priors_;
  state.z = tokens_.topics();
  state.n_k.resize(static_cast<std::size_t>(topics_));
  tables_.n_k.download(state.n_k.data(), topics_, stream_.get());
  const auto words = static_cast<std::size_t>(corpus_.vocabulary_size());
  const auto row = static_cast<std::size_t>(topics_) * sizeof(std::int32_t);
  state.n_wk.resize(words * static_cast<std::size_t>(topics_));
  check(cudaMemcpy2DAsync(state.n_wk.data(), row, tables_.n_wk.data(),
                          static_cast<std::size_t>(tables_.n_wk_stride) * sizeof(std::int32_t), row, words,
                          cudaMemcpyDeviceToHost, stream_.get()),
        "a copy from the device");
  stream_.wait();
  return state;
}

}  // namespace

std::unique_ptr<Chain> start_chain_on_cuda(const CorpusView& corpus, const TrainOptions& options,
                                           const ChainState* resume, std::int64_t memory_limit,
                                           const OrderedTuning* tuning) {
  const bool in_order = draws_sparsely_in_order(corpus, options);
  if (draws_sparsely(options, corpus.tokens()) && !in_order) return start_sparse_chain_on_cuda(corpus, options, resume);
  if (in_order) require_ordered_corpus(corpus);
  require_same_anywhere(options);
  require_countable(corpus, options.threads);
  if (goes_in_document_order(recipe_of(options.sampler))) require_short_documents(corpus);
  const OnDevice here(options.device);
  return std::make_unique<CudaChain>(corpus, options, resume, memory_limit,
                                     tuning != nullptr ? *tuning : OrderedTuning{});
}

}  // namespace papilio::lda
