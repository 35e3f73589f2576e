#include "lda/training/sparse/parallel/ranges/sweep_cuda.h"

#include <optional>
#include <utility>
#include <vector>

#include "execution/cuda/memory.h"
#include "lda/training/log_joint/log_joint_cuda.h"
#include "lda/training/memory/seeds_on_device_cuda.h"
#include "lda/training/parameters/initial_topics_cpu.h"
#include "lda/training/priors/optimize_priors_cuda.h"
#include "lda/training/sparse/parallel/arrays_cuda.h"
#include "lda/training/sparse/parallel/ranges/ranges_cuda.h"
#include "papilio/error.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

using execution::check;
using execution::DeviceArray;

// A word with enough tokens for this many parts is divided, because all its parts can use the same row.
constexpr std::int32_t parts_per_word = 4;

SparseCut shared_cut(const SparseParallelTuning& tuning, std::int32_t topics, std::int64_t words, int entry_bytes) {
  SparseCut cut = tuning.cut;
  if (cut.tokens_per_item == 0) cut.tokens_per_item = parts_per_word * tokens_of_part(topics);
  cut.entry_bytes = entry_bytes;
  cut.short_entries = cut.short_entries && !tuning.by_pair;
  cut.words_per_block = words;
  return cut;
}

std::uint64_t first_token(const CudaStart& start, const SparseParallelTuning& tuning) {
  return tuning.first_token + static_cast<std::uint64_t>(start.ranks != nullptr ? start.ranks->place.token : 0);
}

template <class Entry>
class SparseSweepByRanges final : public CudaSweep {
 public:
  SparseSweepByRanges(const CudaStart& start, const SparseParallelTuning& tuning, const RangePlan& plan,
                      const std::vector<std::int32_t>& z);

  void run(std::int64_t sweep) override;
  void set_priors(const Priors& priors) override;
  SweepDraws draws() override;
  void optimize(Priors& priors) override;
  void make_lists(const WordLists& lists, std::span<const std::int32_t> words) override;
  double log_joint() override;
  std::vector<std::int32_t> z() override { return ranges_.z(); }
  void count(State& state) override;
  std::int64_t bytes() const override;
  Streaming streaming() const override;

 private:
  double v_beta() const { return static_cast<double>(corpus_.vocabulary_size()) * priors_.beta; }
  void count_words();
  DeviceArray<std::int32_t>& words_of_all();
  void count_topics(const DeviceArray<std::int32_t>& n_wk);
  bool is_first() const { return ranks_ == nullptr || ranks_->is_first(); }
  SparseLists<Entry> lists_of(const SparseRange<Entry>& range, sparse::Statistics* statistics);
  SparseDraw<Entry> draw_of(const SparseRange<Entry>& range);

  const CorpusView corpus_;
  const CorpusView whole_;          // the whole corpus, if `corpus_` is a rank's part of it
  const DeviceRanks* const ranks_;  // null: all documents are here
  const std::uint64_t seed_;
  const std::int32_t topic_count_;
  const int host_threads_;
  const bool removes_;
  const SparseParallelTuning tuning_;
  const std::int64_t streamed_tokens_;
  const cudaStream_t stream_;
  const Seeds& seeds_;
  Priors priors_;
  std::int64_t sweep_ = 0;
  SparseRanges<Entry> ranges_;
  ItemDraws item_draws_;
  TopicArrays topics_;
  DeviceArray<std::int32_t> n_wk_;          // V x padded: at the start of the sweep, over all ranks
  DeviceArray<std::int32_t> n_wk_next_;     // updated with z, for this rank's tokens; rank 0's includes the seeds
  DeviceArray<std::int64_t> n_k_of_lists_;  // never read
  DeviceArray<float> rows_;
  DeviceArray<sparse::Statistics> statistics_;               // of the last sweep, or of a likelihood
  std::optional<LogJointOnDevice> log_joint_;                // made when first needed
  std::optional<OptimizedPriorsOnDevice> optimized_priors_;  // made when first needed
};

template <class Entry>
SparseSweepByRanges<Entry>::SparseSweepByRanges(const CudaStart& start, const SparseParallelTuning& tuning,
                                                const RangePlan& plan, const std::vector<std::int32_t>& z)
    : corpus_(start.corpus),
      whole_(start.whole()),
      ranks_(start.ranks),
      seed_(start.options.seed),
      topic_count_(start.options.topics),
      host_threads_(start.options.threads),
      removes_(start.plan.removes),
      tuning_(tuning),
      streamed_tokens_(plan.streamed_tokens),
      stream_(start.stream),
      seeds_(start.seeds),
      priors_(start.priors),
      ranges_(corpus_, topic_count_, shared_cut(tuning, topic_count_, corpus_.vocabulary_size(), sizeof(Entry)), plan,
              z, host_threads_, first_token(start, tuning), stream_),
      item_draws_(tuning_, topic_count_, true),
      topics_(topic_count_),
      n_wk_(corpus_.vocabulary_size() * topics_.masses.padded, "n_wk"),
      n_wk_next_(n_wk_.size(), "n_wk"),
      n_k_of_lists_(topic_count_, "n_k"),
      statistics_(2, "sums of a sweep") {
  topics_.set_priors(priors_, stream_);
  statistics_.clear(stream_);
  n_k_of_lists_.clear(stream_);
  if (has_global_rows(tuning_, topic_count_)) {
    rows_ =
        DeviceArray<float>(blocks_with_global_rows() * (sparse_row_bytes(topics_.masses.padded) / 4), "rows of phi");
  }
  count_words();
}

template <class Entry>
void SparseSweepByRanges<Entry>::count_words() {
  const std::int64_t padded = topics_.masses.padded;
  n_wk_next_.clear(stream_);
  if (is_first()) {
    seeds_.for_each_word([&](std::span<const SeedWord> word) {
      SeedsOnDevice::start_word(word, n_wk_next_.data() + word.front().word * padded, padded, stream_);
    });
  }
  ranges_.for_each(false, [&](const SparseRange<Entry>& range) { queue_frequent_counts(draw_of(range), stream_); });
}

// Puts the current counts of all ranks' topics into n_wk_; without ranks they are there already. Collective.
template <class Entry>
DeviceArray<std::int32_t>& SparseSweepByRanges<Entry>::words_of_all() {
  if (ranks_ == nullptr) return n_wk_next_;
  check(cudaMemcpyAsync(n_wk_.data(), n_wk_next_.data(), static_cast<std::size_t>(n_wk_.bytes()),
                        cudaMemcpyDeviceToDevice, stream_),
        "a copy on the device");
  ranks_->sums.add_up(n_wk_.data(), n_wk_.size(), stream_);
  ranks_->sums.wait(stream_);  // later work may make the host wait
  return n_wk_;
}

template <class Entry>
void SparseSweepByRanges<Entry>::count_topics(const DeviceArray<std::int32_t>& n_wk) {
  topics_.n_k.clear(stream_);
  queue_column_sums(n_wk.data(), corpus_.vocabulary_size(), topics_.masses.padded, topic_count_, topics_.n_k.data(),
                    stream_);
}

template <class Entry>
void SparseSweepByRanges<Entry>::set_priors(const Priors& priors) {
  priors_ = priors;
  topics_.set_priors(priors_, stream_);
  if (log_joint_) log_joint_->set_priors(priors);
}

template <class Entry>
SparseDraw<Entry> SparseSweepByRanges<Entry>::draw_of(const SparseRange<Entry>& range) {
  const SparseLayout& layout = *range.layout;
  return {.masses = topics_.masses,
          .items = range.items,
          .item_count = std::ssize(layout.items),
          .document = range.document,
          .place = range.place,
          .documents = range.documents,
          .listed_documents = layout.listed_documents,
          .single_tokens = range.single_tokens,
          .short_entries = layout.short_entries,
          .lists = range.lists,
          .z = range.z,
          .frequent = n_wk_.data(),
          .frequent_next = n_wk_next_.data(),
          .seed = seed_,
          .stream = random::stream(random::Purpose::topics, static_cast<std::uint32_t>(sweep_)),
          .first_token = range.first_token,
          .removes = removes_,
          .by_pair = item_draws_.by_pair(layout, range.tokens),
          .counts = tuning_.counts_parts,
          .statistics = statistics_.data(),
          .rows = rows_.data()};
}

template <class Entry>
SparseLists<Entry> SparseSweepByRanges<Entry>::lists_of(const SparseRange<Entry>& range,
                                                        sparse::Statistics* statistics) {
  const SparseLayout& layout = *range.layout;
  return {.z = range.z,
          .documents = range.documents,
          .document_count = layout.listed_documents,
          .single_tokens = range.single_tokens,
          .single_count = range.single_count,
          .short_entries = layout.short_entries,
          .long_documents = layout.long_documents,
          .counted_documents = layout.counted_documents,
          .slices = range.slices,
          .slice_count = std::ssize(layout.slices),
          .counts = range.counts,
          .lists = range.lists,
          .topics = topic_count_,
          .n_k = n_k_of_lists_.data(),
          .statistics = statistics};
}

// A range's lists are made from the topics at the start of the sweep, as are n_wk and n_k.
template <class Entry>
void SparseSweepByRanges<Entry>::run(std::int64_t sweep) {
  sweep_ = sweep;
  statistics_.clear(stream_);
  const DeviceArray<std::int32_t>& n_wk = words_of_all();
  count_topics(n_wk);
  queue_topic_masses(topics_.masses, topics_.arrays(v_beta()), stream_);
  if (&n_wk != &n_wk_) {
    check(cudaMemcpyAsync(n_wk_.data(), n_wk.data(), static_cast<std::size_t>(n_wk_.bytes()), cudaMemcpyDeviceToDevice,
                          stream_),
          "a copy on the device");
  }
  ranges_.for_each(true, [&](const SparseRange<Entry>& range) {
    queue_sparse_lists(lists_of(range, statistics_.data()), stream_);
    item_draws_.queue(draw_of(range), *range.layout, range.layout->blocks.front(), stream_);
  });
}

template <class Entry>
double SparseSweepByRanges<Entry>::log_joint() {
  if (!log_joint_) log_joint_.emplace(whole_, seeds_, priors_, stream_, ranks_);
  const DeviceArray<std::int32_t>& n_wk = words_of_all();
  count_topics(n_wk);
  const auto queue_words = [&](const TermSums& sums) {
    if (is_first()) queue_word_terms(n_wk.data(), n_wk.size(), sums, stream_);
  };
  const auto queue_documents = [&](const TermSums& sums) {
    ranges_.for_each(false, [&](const SparseRange<Entry>& range) {
      const SparseLists<Entry> lists = lists_of(range, statistics_.data() + 1);
      queue_sparse_lists(lists, stream_);
      queue_list_terms(lists, sums, stream_);
    });
  };
  return (*log_joint_)(queue_words, queue_documents, topics_.n_k);
}

template <class Entry>
void SparseSweepByRanges<Entry>::optimize(Priors& priors) {
  if (!optimized_priors_) optimized_priors_.emplace(whole_, seeds_, topic_count_, stream_, ranks_);
  const DeviceArray<std::int32_t>& n_wk = words_of_all();
  count_topics(n_wk);
  const auto queue_words = [&](const CountHistograms& histograms) {
    queue_word_histogram(n_wk.data(), n_wk.size(), histograms, stream_);
  };
  const auto queue_documents = [&](const CountHistograms& histograms) {
    ranges_.for_each(false, [&](const SparseRange<Entry>& range) {
      const SparseLists<Entry> lists = lists_of(range, statistics_.data() + 1);
      queue_sparse_lists(lists, stream_);
      queue_list_histograms(lists, histograms, stream_);
    });
  };
  (*optimized_priors_)(queue_words, queue_documents, topics_.n_k, priors);
}

// With ranks, held-out documents are scored on the hosts, from count().
template <class Entry>
void SparseSweepByRanges<Entry>::make_lists(const WordLists& lists, std::span<const std::int32_t>) {
  if (ranks_ != nullptr) {
    throw InvalidArgument("papilio::train: a rank's GPU lists no counts for held-out documents");
  }
  count_topics(n_wk_next_);
  queue_mass_reciprocals(topics_.n_k.data(), v_beta(), lists, stream_);
  queue_word_lists_of_table(lists, n_wk_next_.data(), topics_.masses.padded, stream_);
}

template <class Entry>
void SparseSweepByRanges<Entry>::count(State& state) {
  if (ranks_ == nullptr) return state.count(corpus_, host_threads_);
  const DeviceArray<std::int32_t>& n_wk = words_of_all();
  count_topics(n_wk);
  const auto words = static_cast<std::size_t>(corpus_.vocabulary_size());
  const auto row = static_cast<std::size_t>(topic_count_) * sizeof(std::int32_t);
  state.n_k.resize(static_cast<std::size_t>(topic_count_));
  state.n_wk.resize(words * static_cast<std::size_t>(topic_count_));
  check(cudaMemcpy2DAsync(state.n_wk.data(), row, n_wk.data(),
                          static_cast<std::size_t>(topics_.masses.padded) * sizeof(std::int32_t), row, words,
                          cudaMemcpyDeviceToHost, stream_),
        "a copy from the device");
  topics_.n_k.download(state.n_k.data(), topic_count_, stream_);
  check(cudaStreamSynchronize(stream_), "a copy from the device");
}

template <class Entry>
SweepDraws SparseSweepByRanges<Entry>::draws() {
  sparse::Statistics sums = {};
  statistics_.download(&sums, 1, stream_);
  check(cudaStreamSynchronize(stream_), "a copy from the device");
  return sparse_draws(sums, ranges_.documents(), tuning_.counts_parts ? corpus_.tokens() : 0);
}

template <class Entry>
std::int64_t SparseSweepByRanges<Entry>::bytes() const {
  return ranges_.bytes() + topics_.bytes() + n_wk_.bytes() + n_wk_next_.bytes() + n_k_of_lists_.bytes() +
         rows_.bytes() + statistics_.bytes() + (log_joint_ ? log_joint_->bytes() : 0) +
         (optimized_priors_ ? optimized_priors_->bytes() : 0);
}

template <class Entry>
Streaming SparseSweepByRanges<Entry>::streaming() const {
  return {.tokens = streamed_tokens_,
          .bytes = ranges_.streamed_bytes(),
          .bytes_per_second = ranges_.measured_bytes_per_second()};
}

}  // namespace

std::int64_t range_table_bytes(std::int64_t words, std::int32_t topics) {
  return 2 * words * padded_topics(topics) * std::int64_t{sizeof(std::int32_t)};
}

template <class Entry>
std::unique_ptr<CudaSweep> make_sweep_by_ranges(const CudaStart& start, const SparseParallelTuning& tuning,
                                                const RangePlan& plan) {
  const auto from = [&](const std::vector<std::int32_t>& z) {
    return std::make_unique<SparseSweepByRanges<Entry>>(start, tuning, plan, z);
  };
  if (start.z != nullptr) return from(*start.z);
  return from(starting_topics(start.corpus, start.options, start.ranks != nullptr ? start.ranks->place.token : 0));
}

template std::unique_ptr<CudaSweep> make_sweep_by_ranges<sparse::NarrowEntry>(const CudaStart&,
                                                                              const SparseParallelTuning&,
                                                                              const RangePlan&);
template std::unique_ptr<CudaSweep> make_sweep_by_ranges<sparse::WideEntry>(const CudaStart&,
                                                                            const SparseParallelTuning&,
                                                                            const RangePlan&);

}  // namespace papilio::lda
