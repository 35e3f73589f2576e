#include "lda/training/sparse/parallel/chain_cuda.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/math.h"
#include "execution/cuda/event.h"
#include "execution/cuda/memory.h"
#include "lda/model/optimize_priors.h"
#include "lda/model/options.h"
#include "lda/training/initial_topics.h"
#include "lda/training/log_joint/log_joint_on_device.h"
#include "lda/training/recipe.h"
#include "lda/training/sparse/fixed_point.h"
#include "lda/training/sparse/parallel/arrays_cuda.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

using execution::check;
using execution::DeviceArray;
using execution::OnDevice;

constexpr std::int64_t most_narrow = std::int64_t{1} << 16;

template <class Packing>
class SparseCudaChain final : public SparseChain {
 public:
  SparseCudaChain(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume,
                  const SparseTuning& tuning);

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
  SparseCounters counters() override;
  std::int64_t bytes() const override;

 private:
  void set_priors();
  void count_frequent_words();
  SparseLists<Packing> lists_of(SparseCounters* counters);
  SparseDraw<Packing> draw_of(std::int64_t first_item, std::int64_t end_item);
  std::vector<std::int32_t> topics_of_tokens();
  State state();

  const CorpusView corpus_;
  const TrainOptions options_;
  const SparseTuning tuning_;
  const int threads_;
  Priors priors_;
  std::int64_t sweep_ = 0;
  execution::Stream stream_, side_;  // items of few tokens are drawn beside the others
  execution::Event topics_are_weighed_, few_are_drawn_;
  SparseLayout layout_;
  SparseCorpus<Packing> tokens_;
  TopicArrays topics_;
  DeviceArray<std::int32_t> frequent_, frequent_next_;
  DeviceArray<float> rows_;
  DeviceArray<SparseCounters> counters_;  // of the last sweep; of a likelihood
  SparseTopics tables_;
  std::optional<LogJointOnDevice> log_joint_;  // from the first time that it is asked for
};

std::vector<std::int32_t> first_topics(const CorpusView& corpus, const TrainOptions& options,
                                       const ChainState* resume) {
  return resume != nullptr ? resume->z : initial_topics(corpus.tokens(), options.topics, options.seed, options.threads);
}

template <class Packing>
SparseCudaChain<Packing>::SparseCudaChain(const CorpusView& corpus, const TrainOptions& options,
                                          const ChainState* resume, const SparseTuning& tuning)
    : corpus_(corpus),
      options_(options),
      tuning_(tuning),
      threads_(tuning.threads != 0 ? tuning.threads : threads_per_item(options.topics)),
      priors_(priors_of(options, resume)),
      sweep_(resume != nullptr ? resume->sweep : 0),
      layout_(corpus, options.topics, tuning_.cut),
      tokens_(layout_, first_topics(corpus, options, resume), stream_.get()),
      topics_(options.topics),
      counters_(2, "sums of a sweep") {
  tables_ = {.topics = options.topics,
             .padded = padded_topics(options.topics),
             .alpha = topics_.alpha.data(),
             .records = topics_.records.data(),
             .inverse = topics_.inverse.data(),
             .unit = topics_.unit.data(),
             .smoothing = topics_.smoothing.data()};
  set_priors();
  counters_.clear(stream_.get());
  if (layout_.frequent_words > 0) count_frequent_words();
  if (tuning_.global_rows || !row_fits_in_shared(tables_.padded)) {
    rows_ = DeviceArray<float>(blocks_with_global_rows() * (sparse_row_bytes(tables_.padded) / 4), "rows of phi");
  }
  // The host has its own of these, and needs them no more.
  layout_.document = {};
  layout_.place = {};
  stream_.wait();
}

template <class Packing>
void SparseCudaChain<Packing>::count_frequent_words() {
  const std::int64_t entries = std::int64_t{layout_.frequent_words} * tables_.padded;
  frequent_ = DeviceArray<std::int32_t>(entries, "counts of frequent words");
  frequent_next_ = DeviceArray<std::int32_t>(entries, "counts of frequent words");
  frequent_next_.clear(stream_.get());
  queue_frequent_counts(draw_of(0, layout_.frequent_items), stream_.get());
}

template <class Packing>
void SparseCudaChain<Packing>::set_priors() {
  const int places = sparse::fixed_point_places(priors_.alpha_sum());
  tables_.beta = priors_.beta;
  tables_.prior_mass = static_cast<double>(corpus_.vocabulary_size()) * priors_.beta;
  tables_.scale = std::ldexp(1.0, places);
  tables_.inverse_scale = std::ldexp(1.0, -places);
  topics_.alpha.upload(priors_.alpha.data(), topics_.alpha.size(), stream_.get());
  check(cudaStreamSynchronize(stream_.get()), "a copy to the device");
}

template <class Packing>
SparseDraw<Packing> SparseCudaChain<Packing>::draw_of(std::int64_t first_item, std::int64_t end_item) {
  const auto step = static_cast<std::uint32_t>(sweep_);
  return {.topics = tables_,
          .items = tokens_.items.data() + first_item,
          .item_count = end_item - first_item,
          .document = tokens_.document.data(),
          .place = tokens_.place.data(),
          .documents = tokens_.documents.data(),
          .lists = tokens_.lists.data(),
          .z = tokens_.z.data(),
          .frequent = frequent_.data(),
          .frequent_next = frequent_next_.data(),
          .seed = options_.seed,
          .stream = random::stream(random::Purpose::topics, step),
          .removes = recipe_of(options_.sampler).phi == Parameter::integrated_out && options_.topics > 1,
          .counts = tuning_.counts_parts,
          .counters = counters_.data(),
          .rows = rows_.data()};
}

template <class Packing>
SparseLists<Packing> SparseCudaChain<Packing>::lists_of(SparseCounters* counters) {
  return {.z = tokens_.z.data(),
          .documents = tokens_.documents.data(),
          .document_count = static_cast<std::int32_t>(layout_.documents.size()),
          .long_documents = layout_.long_documents,
          .lists = tokens_.lists.data(),
          .topics = options_.topics,
          .n_k = topics_.n_k.data(),
          .counters = counters};
}

// Lists and counts of the topics that the sweep begins with, then draws from them. The counts of
// frequent words are kept from sweep to sweep, since several blocks draw each; those of other words a
// block makes for itself.
template <class Packing>
void SparseCudaChain<Packing>::sweep() {
  const OnDevice here(options_.device);
  const cudaStream_t stream = stream_.get();
  ++sweep_;
  topics_.n_k.clear(stream);
  counters_.clear(stream);
  queue_sparse_lists(lists_of(counters_.data()), stream);
  queue_sparse_topics(tables_, topics_.n_k.data(), stream);
  if (layout_.frequent_words > 0) {
    check(cudaMemcpyAsync(frequent_.data(), frequent_next_.data(), static_cast<std::size_t>(frequent_.bytes()),
                          cudaMemcpyDeviceToDevice, stream),
          "a copy on the device");
  }
  const bool beside = tuning_.draws_beside && rows_.size() == 0;
  const cudaStream_t side = beside ? side_.get() : stream;
  if (beside) topics_are_weighed_.order(stream, side);
  queue_sparse_draws(draw_of(0, layout_.large_items), threads_, stream);
  queue_sparse_draws(draw_of(layout_.large_items, std::ssize(layout_.items)), 32, side);
  if (beside) few_are_drawn_.order(side, stream);
  if (!optimizes_priors_after(options_, sweep_)) return;
  const State now = state();
  optimize_priors(corpus_, now.z, now.n_wk, now.n_k, priors_, options_.threads);
  set_priors();
  if (log_joint_) log_joint_->set_priors(priors_);
}

// From lists and counts of the topics that the sweeps have led to, made anew.
template <class Packing>
double SparseCudaChain<Packing>::log_joint() {
  const OnDevice here(options_.device);
  const cudaStream_t stream = stream_.get();
  if (!log_joint_) log_joint_.emplace(corpus_, priors_, stream);
  topics_.n_k.clear(stream);
  const SparseLists<Packing> lists = lists_of(counters_.data() + 1);
  queue_sparse_lists(lists, stream);
  const auto queue_words = [&](const TermSums& sums) {
    if (frequent_next_.size() > 0) queue_word_terms(frequent_next_.data(), frequent_next_.size(), sums, stream);
    queue_item_terms(draw_of(layout_.frequent_items, std::ssize(layout_.items)), sums, stream);
  };
  const auto queue_documents = [&](const TermSums& sums) { queue_list_terms(lists, sums, stream); };
  return (*log_joint_)(queue_words, queue_documents, topics_.n_k);
}

template <class Packing>
SparseCounters SparseCudaChain<Packing>::counters() {
  const OnDevice here(options_.device);
  SparseCounters sums = {};
  counters_.download(&sums, 1, stream_.get());
  stream_.wait();
  return sums;
}

template <class Packing>
std::int64_t SparseCudaChain<Packing>::bytes() const {
  return tokens_.bytes() + topics_.bytes() + frequent_.bytes() + frequent_next_.bytes() + rows_.bytes() +
         counters_.bytes();
}

template <class Packing>
SweepDraws SparseCudaChain<Packing>::draws() {
  const SparseCounters sums = counters();
  SweepDraws draws;
  draws.sparse = true;
  draws.topics_per_document = static_cast<double>(sums.entries) / static_cast<double>(layout_.documents.size());
  if (!tuning_.counts_parts) return draws;
  const auto all = static_cast<double>(sums.own + sums.document + sums.word + sums.smoothing);
  draws.from_own = static_cast<double>(sums.own) / all;
  draws.from_document = static_cast<double>(sums.document) / all;
  draws.from_word = static_cast<double>(sums.word) / all;
  draws.from_prior = static_cast<double>(sums.smoothing) / all;
  return draws;
}

template <class Packing>
std::vector<std::int32_t> SparseCudaChain<Packing>::topics_of_tokens() {
  const OnDevice here(options_.device);
  std::vector<typename Packing::Topic> z(corpus_.words.size());
  tokens_.z.download(z.data(), corpus_.tokens(), stream_.get());
  stream_.wait();
  return converted<std::int32_t>(z);
}

template <class Packing>
void SparseCudaChain<Packing>::show_topics(base::FunctionRef<void(const ChainState&)> use) {
  State now;
  now.sweep = sweep_;
  now.priors = priors_;
  now.z = topics_of_tokens();
  use(take_topics(now, options_));
}

template <class Packing>
State SparseCudaChain<Packing>::state() {
  State state;
  state.topics = options_.topics;
  state.sweep = sweep_;
  state.priors = priors_;
  state.z = topics_of_tokens();
  state.count(corpus_, options_.threads);
  return state;
}

}  // namespace

std::unique_ptr<SparseChain> start_sparse_chain_on_cuda(const CorpusView& corpus, const TrainOptions& options,
                                                        const ChainState* resume, const SparseTuning& tuning) {
  base::require(corpus.tokens() <= most_sparse_tokens, "papilio::train: {} tokens, sparse draws take at most 2^32 - 1",
                corpus.tokens());
  std::int64_t longest = 0;
  for (std::size_t d = 1; d < corpus.document_offsets.size(); ++d) {
    longest = std::max(longest, corpus.document_offsets[d] - corpus.document_offsets[d - 1]);
  }
  const OnDevice here(options.device);
  if (!tuning.is_wide && options.topics <= most_narrow && longest < most_narrow) {
    return std::make_unique<SparseCudaChain<NarrowPacking>>(corpus, options, resume, tuning);
  }
  return std::make_unique<SparseCudaChain<WidePacking>>(corpus, options, resume, tuning);
}

}  // namespace papilio::lda
