#include "lda/training/sparse/parallel/sweep_cuda.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "base/math.h"
#include "execution/cuda/event.h"
#include "execution/cuda/memory.h"
#include "lda/training/log_joint/log_joint_cuda.h"
#include "lda/training/memory/seeds_on_device_cuda.h"
#include "lda/training/parameters/initial_topics_cpu.h"
#include "lda/training/priors/optimize_priors_cuda.h"
#include "lda/training/sparse/fixed_point.h"
#include "lda/training/sparse/parallel/arrays_cuda.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

using execution::check;
using execution::DeviceArray;

constexpr std::int64_t most_narrow = std::int64_t{1} << 16;

template <class Entry>
class SparseParallelCudaSweep final : public CudaSweep {
 public:
  SparseParallelCudaSweep(const CudaStart& start, const SparseParallelTuning& tuning);

  void run(std::int64_t sweep) override;
  void set_priors(const Priors& priors) override;
  SweepDraws draws() override;
  void optimize(Priors& priors) override;
  void make_phi(PhiRows rows, std::span<const std::int32_t> words) override;
  double log_joint() override;
  std::vector<std::int32_t> z() override;
  void count(State& state) override { state.count(corpus_, host_threads_); }
  std::int64_t bytes() const override;

 private:
  void take_priors();
  void count_frequent_words();
  void queue_draws(cudaStream_t side);
  SparseLists<Entry> lists_of(sparse::Statistics* statistics);
  SparseDraw<Entry> draw_of(std::int64_t first_item, std::int64_t end_item);

  const CorpusView corpus_;
  const std::uint64_t seed_;
  const std::int32_t topic_count_;
  const int host_threads_;
  const bool removes_;
  const SparseParallelTuning tuning_;
  const int threads_;  // that draw an item
  const std::int32_t few_tokens_;
  const std::int32_t many_tokens_;
  const std::int32_t without_row_;
  const cudaStream_t stream_;
  execution::Stream side_;  // items of few tokens are drawn beside the others
  const Seeds& seeds_;
  SeedsOnDevice start_of_counts_;
  Priors priors_;
  std::int64_t sweep_ = 0;
  execution::Event topics_are_weighed_, few_are_drawn_;
  SparseLayout layout_;
  SparseCorpus<Entry> tokens_;
  const bool by_pair_;
  TopicArrays topics_;
  DeviceArray<std::int32_t> frequent_, frequent_next_;
  DeviceArray<float> rows_;
  DeviceArray<sparse::Statistics> statistics_;  // of the last sweep; of a likelihood
  PaddedTopicMasses masses_;
  std::optional<LogJointOnDevice> log_joint_;                // from the first time that it is asked for
  std::optional<OptimizedPriorsOnDevice> optimized_priors_;  // likewise
  DeviceArray<double> fixed_masses_;                         // of make_phi, from its first call
  std::vector<std::int64_t> word_offsets_;                   // likewise: where each word's tokens begin
};

std::vector<std::int32_t> topics_to_start(const CudaStart& start) {
  return start.z != nullptr ? *start.z : starting_topics(start.corpus, start.options);
}

template <class Entry>
SparseCut cut_of(const SparseParallelTuning& tuning) {
  SparseCut cut = tuning.cut;
  cut.entry_bytes = sizeof(Entry);
  cut.short_entries = cut.short_entries && !tuning.by_pair;
  return cut;
}

// The most tokens of a word for which no row is made: 0 where even what is kept instead has no room.
std::int32_t tokens_without_row_of(const SparseParallelTuning& tuning, std::int32_t topics) {
  const std::int32_t tokens = tuning.cut.without_row >= 0 ? tuning.cut.without_row : tokens_without_row(topics);
  const std::int64_t bytes = few_topics_bytes(padded_topics(topics), base::round_up(tokens, 2));
  return fits_in_shared(bytes) ? tokens : 0;
}

// Whether tokens of a word and a document share the document's sums.
bool draws_by_pair(const SparseParallelTuning& tuning, const SparseLayout& layout, std::int64_t tokens,
                   std::int32_t topics) {
  if (tuning.global_rows || !list_fits_in_shared(padded_topics(topics))) return false;
  return tuning.by_pair || layout.tokens_of_long * long_share >= tokens;
}

template <class Entry>
SparseParallelCudaSweep<Entry>::SparseParallelCudaSweep(const CudaStart& start, const SparseParallelTuning& tuning)
    : corpus_(start.corpus),
      seed_(start.options.seed),
      topic_count_(start.options.topics),
      host_threads_(start.options.threads),
      removes_(start.plan.removes),
      tuning_(tuning),
      threads_(tuning.threads != 0 ? tuning.threads : sparse_shape(topic_count_).threads),
      few_tokens_(tuning.cut.few_tokens >= 0 ? tuning.cut.few_tokens : few_tokens),
      many_tokens_(tuning.cut.many_tokens >= 0 ? tuning.cut.many_tokens : many_tokens_of_row),
      without_row_(tokens_without_row_of(tuning, topic_count_)),
      stream_(start.stream),
      seeds_(start.seeds),
      start_of_counts_(seeds_, stream_),
      priors_(start.priors),
      layout_(corpus_, topic_count_, cut_of<Entry>(tuning_), seeds_, host_threads_),
      tokens_(layout_, topics_to_start(start), topic_count_, stream_),
      by_pair_(draws_by_pair(tuning, layout_, corpus_.tokens(), topic_count_)),
      topics_(topic_count_),
      statistics_(2, "sums of a sweep") {
  masses_.topics = topic_count_;
  masses_.padded = padded_topics(topic_count_);
  masses_.of = topics_.of.data();
  masses_.inverse = topics_.inverse.data();
  masses_.word_masses = topics_.word_masses.data();
  masses_.prior_sums = topics_.prior_sums.data();
  take_priors();
  statistics_.clear(stream_);
  if (!layout_.frequent_words.empty()) count_frequent_words();
  if (tuning_.global_rows || !row_fits_in_shared(masses_.padded)) {
    rows_ = DeviceArray<float>(blocks_with_global_rows() * (sparse_row_bytes(masses_.padded) / 4), "rows of phi");
  }
  // The host has its own of these, and no longer needs them.
  layout_.document = {};
  layout_.place = {};
}

template <class Entry>
void SparseParallelCudaSweep<Entry>::count_frequent_words() {
  const std::int64_t entries = std::ssize(layout_.frequent_words) * masses_.padded;
  frequent_ = DeviceArray<std::int32_t>(entries, "counts of frequent words");
  frequent_next_ = DeviceArray<std::int32_t>(entries, "counts of frequent words");
  frequent_next_.clear(stream_);
  for (std::int64_t row = 0; row < std::ssize(layout_.frequent_words); ++row) {
    SeedsOnDevice::start_word(seeds_.of_word(layout_.frequent_words[static_cast<std::size_t>(row)]),
                              frequent_next_.data() + row * masses_.padded, masses_.padded, stream_);
  }
  queue_frequent_counts(draw_of(0, layout_.frequent_items), stream_);
}

template <class Entry>
void SparseParallelCudaSweep<Entry>::take_priors() {
  const int places = sparse::fixed_point_places(priors_.alpha_sum());
  masses_.beta = priors_.beta;
  masses_.unit = std::ldexp(1.0, -places);
  masses_.places = std::ldexp(1.0, places);
  topics_.alpha.upload(priors_.alpha.data(), topics_.alpha.size(), stream_);
  check(cudaStreamSynchronize(stream_), "a copy to the device");
}

template <class Entry>
void SparseParallelCudaSweep<Entry>::set_priors(const Priors& priors) {
  priors_ = priors;
  take_priors();
  if (log_joint_) log_joint_->set_priors(priors);
}

template <class Entry>
SparseDraw<Entry> SparseParallelCudaSweep<Entry>::draw_of(std::int64_t first_item, std::int64_t end_item) {
  const auto step = static_cast<std::uint32_t>(sweep_);
  return {.masses = masses_,
          .items = tokens_.items.data() + first_item,
          .item_count = end_item - first_item,
          .document = tokens_.document.data(),
          .place = tokens_.place.data(),
          .documents = tokens_.documents.data(),
          .listed_documents = layout_.listed_documents,
          .single_tokens = tokens_.single_tokens.data(),
          .short_entries = layout_.short_entries,
          .lists = tokens_.lists.data(),
          .z = tokens_.z.data(),
          .frequent = frequent_.data(),
          .frequent_next = frequent_next_.data(),
          .seed = seed_,
          .stream = random::stream(random::Purpose::topics, step),
          .removes = removes_,
          .by_pair = by_pair_,
          .counts = tuning_.counts_parts,
          .statistics = statistics_.data(),
          .rows = rows_.data()};
}

template <class Entry>
SparseLists<Entry> SparseParallelCudaSweep<Entry>::lists_of(sparse::Statistics* statistics) {
  return {.z = tokens_.z.data(),
          .documents = tokens_.documents.data(),
          .document_count = layout_.listed_documents,
          .single_tokens = tokens_.single_tokens.data(),
          .single_count = std::ssize(layout_.documents) - layout_.listed_documents,
          .short_entries = layout_.short_entries,
          .long_documents = layout_.long_documents,
          .counted_documents = layout_.counted_documents,
          .slices = tokens_.slices.data(),
          .slice_count = std::ssize(layout_.slices),
          .counts = tokens_.counts.data(),
          .lists = tokens_.lists.data(),
          .topics = topic_count_,
          .n_k = topics_.n_k.data(),
          .statistics = statistics};
}

// Lists and counts of the topics that the sweep begins with, then draws from them. The counts of
// frequent words are kept from sweep to sweep, since several blocks draw each; those of other words a
// block makes for itself.
template <class Entry>
void SparseParallelCudaSweep<Entry>::run(std::int64_t sweep) {
  sweep_ = sweep;
  start_of_counts_.start_topics(topics_.n_k, stream_);
  statistics_.clear(stream_);
  queue_sparse_lists(lists_of(statistics_.data()), stream_);
  queue_topic_masses(masses_, topics_.arrays(static_cast<double>(corpus_.vocabulary_size()) * priors_.beta), stream_);
  if (!layout_.frequent_words.empty()) {
    check(cudaMemcpyAsync(frequent_.data(), frequent_next_.data(), static_cast<std::size_t>(frequent_.bytes()),
                          cudaMemcpyDeviceToDevice, stream_),
          "a copy on the device");
  }
  const cudaStream_t side = tuning_.draws_beside ? side_.get() : stream_;
  if (tuning_.draws_beside) topics_are_weighed_.order(stream_, side);
  queue_draws(side);
  if (tuning_.draws_beside) few_are_drawn_.order(side, stream_);
}

// Frequent words on the chain's stream, the others on `side`, those of many tokens first. Rows of phi in global memory
// are for one kernel at a time.
template <class Entry>
void SparseParallelCudaSweep<Entry>::queue_draws(cudaStream_t side) {
  const std::int64_t end = std::ssize(layout_.items);
  const std::int64_t rare = by_pair_ ? end : layout_.items_above(tokens_of_rare);
  const std::int64_t without_row = by_pair_ ? end : std::min(rare, layout_.items_above(without_row_));
  const bool in_global = rows_.size() > 0;
  const std::int64_t few = in_global ? without_row : std::min(without_row, layout_.items_above(few_tokens_));
  const std::int64_t frequent = in_global ? 0 : std::min(layout_.frequent_items, few);
  const std::int64_t many = in_global ? 0 : std::min(few, layout_.items_above(many_tokens_));
  queue_sparse_parallel_draws(draw_of(0, in_global ? few : frequent), threads_, stream_);
  if (!in_global) {
    queue_sparse_parallel_draws(draw_of(frequent, many), 512, side);
    queue_sparse_parallel_draws(draw_of(many, few), threads_, side);
    queue_sparse_parallel_draws(draw_of(few, without_row), small_block_threads, side);
  }
  std::int64_t first = without_row;
  const auto queue_until = [&](std::int64_t last, int threads) {
    if (last <= first) return;
    const std::int32_t most = layout_.items[static_cast<std::size_t>(first)].count;
    queue_draws_of_few_topics(draw_of(first, last), base::round_up(most, 2), threads, side);
    first = last;
  };
  queue_until(std::min(rare, layout_.items_above(many_tokens)), 512);
  queue_until(std::min(rare, layout_.items_above(few_tokens)), 128);
  queue_until(rare, small_block_threads);
  queue_draws_of_rare_words(draw_of(rare, end), side);
}

// From lists and counts of the topics that the sweeps have led to, made anew.
template <class Entry>
double SparseParallelCudaSweep<Entry>::log_joint() {
  if (!log_joint_) log_joint_.emplace(corpus_, seeds_, priors_, stream_);
  start_of_counts_.start_topics(topics_.n_k, stream_);
  const SparseLists<Entry> lists = lists_of(statistics_.data() + 1);
  queue_sparse_lists(lists, stream_);
  const auto queue_words = [&](const TermSums& sums) {
    if (frequent_next_.size() > 0) queue_word_terms(frequent_next_.data(), frequent_next_.size(), sums, stream_);
    queue_item_terms(draw_of(layout_.frequent_items, std::ssize(layout_.items)), sums, stream_);
  };
  const auto queue_documents = [&](const TermSums& sums) { queue_list_terms(lists, sums, stream_); };
  return (*log_joint_)(queue_words, queue_documents, topics_.n_k);
}

// Likewise.
template <class Entry>
void SparseParallelCudaSweep<Entry>::optimize(Priors& priors) {
  if (!optimized_priors_) optimized_priors_.emplace(corpus_, seeds_, topic_count_, stream_);
  start_of_counts_.start_topics(topics_.n_k, stream_);
  const SparseLists<Entry> lists = lists_of(statistics_.data() + 1);
  queue_sparse_lists(lists, stream_);
  const auto queue_words = [&](const CountHistograms& histograms) {
    if (frequent_next_.size() > 0) {
      queue_word_histogram(frequent_next_.data(), frequent_next_.size(), histograms, stream_);
    }
    queue_item_histogram(draw_of(layout_.frequent_items, std::ssize(layout_.items)), histograms, stream_);
  };
  const auto queue_documents = [&](const CountHistograms& histograms) {
    queue_list_histograms(lists, histograms, stream_);
  };
  (*optimized_priors_)(queue_words, queue_documents, topics_.n_k, priors);
}

// Likewise, with items of the words that are asked for, each of which has all tokens of its word.
template <class Entry>
void SparseParallelCudaSweep<Entry>::make_phi(PhiRows rows, std::span<const std::int32_t> words) {
  if (word_offsets_.empty()) {
    word_offsets_.resize(static_cast<std::size_t>(corpus_.vocabulary_size()) + 1);
    for (const std::int32_t word : corpus_.words) ++word_offsets_[static_cast<std::size_t>(word) + 1];
    for (std::size_t w = 1; w < word_offsets_.size(); ++w) word_offsets_[w] += word_offsets_[w - 1];
    fixed_masses_ = DeviceArray<double>(topic_count_, "the topics' masses");
  }
  std::vector<SparseItem> items;
  for (const std::int32_t word : words) {
    const auto w = static_cast<std::size_t>(word);
    const auto row = std::ranges::lower_bound(layout_.frequent_words, word);
    const bool is_frequent = row != layout_.frequent_words.end() && *row == word;
    items.push_back({static_cast<std::uint32_t>(word_offsets_[w]),
                     static_cast<std::int32_t>(word_offsets_[w + 1] - word_offsets_[w]),
                     is_frequent ? static_cast<std::int32_t>(row - layout_.frequent_words.begin()) : -1});
  }
  const DeviceArray<SparseItem> on_device_items = on_device(items, "words", stream_);
  start_of_counts_.start_topics(topics_.n_k, stream_);
  queue_sparse_lists(lists_of(statistics_.data() + 1), stream_);
  queue_fixed_topic_masses(topics_.n_k.data(), topic_count_,
                           static_cast<double>(corpus_.vocabulary_size()) * priors_.beta, fixed_masses_.data(),
                           stream_);
  rows.masses = fixed_masses_.data();
  rows.beta = priors_.beta;
  SparseDraw<Entry> draw = draw_of(0, 0);
  draw.items = on_device_items.data();
  draw.item_count = std::ssize(items);
  queue_item_phi(draw, rows, stream_);
  check(cudaStreamSynchronize(stream_), "computing phi");  // the items end here
}

template <class Entry>
std::int64_t SparseParallelCudaSweep<Entry>::bytes() const {
  return tokens_.bytes() + topics_.bytes() + start_of_counts_.bytes() + frequent_.bytes() + frequent_next_.bytes() +
         rows_.bytes() + statistics_.bytes();
}

template <class Entry>
SweepDraws SparseParallelCudaSweep<Entry>::draws() {
  sparse::Statistics sums = {};
  statistics_.download(&sums, 1, stream_);
  check(cudaStreamSynchronize(stream_), "a copy from the device");
  SweepDraws draws;
  draws.sparse = true;
  draws.topics_per_document = static_cast<double>(sums.entries) / static_cast<double>(layout_.documents.size());
  if (!tuning_.counts_parts) return draws;
  const auto all = static_cast<double>(corpus_.tokens());
  draws.from_own = static_cast<double>(sums.from_own) / all;
  draws.from_document = static_cast<double>(sums.from_document) / all;
  draws.from_word = static_cast<double>(sums.from_word) / all;
  draws.from_prior = static_cast<double>(sums.from_prior) / all;
  return draws;
}

template <class Entry>
std::vector<std::int32_t> SparseParallelCudaSweep<Entry>::z() {
  std::vector<typename Entry::Number> z;
  execution::make_zeros(z, corpus_.words.size(), host_threads_);
  tokens_.z.download(z.data(), corpus_.tokens(), stream_);
  check(cudaStreamSynchronize(stream_), "a copy from the device");
  return converted<std::int32_t>(z);
}

}  // namespace

std::unique_ptr<CudaSweep> make_sparse_parallel_sweep(const CudaStart& start, const SparseParallelTuning& tuning) {
  std::int64_t longest = 0;
  const auto& offsets = start.corpus.document_offsets;
  for (std::size_t d = 1; d < offsets.size(); ++d) longest = std::max(longest, offsets[d] - offsets[d - 1]);
  if (!tuning.is_wide && start.options.topics <= most_narrow && longest < most_narrow) {
    return std::make_unique<SparseParallelCudaSweep<sparse::NarrowEntry>>(start, tuning);
  }
  return std::make_unique<SparseParallelCudaSweep<sparse::WideEntry>>(start, tuning);
}

}  // namespace papilio::lda
