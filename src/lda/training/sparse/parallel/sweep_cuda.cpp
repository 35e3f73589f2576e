#include "lda/training/sparse/parallel/sweep_cuda.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "execution/cuda/memory.h"
#include "execution/cuda/staged_copies.h"
#include "execution/out_of_device_memory.h"
#include "lda/training/log_joint/log_joint_cuda.h"
#include "lda/training/memory/room_for_state.h"
#include "lda/training/memory/seeds_on_device_cuda.h"
#include "lda/training/parameters/topic_counts_cuda.h"
#include "lda/training/priors/optimize_priors_cuda.h"
#include "lda/training/sparse/parallel/arrays_cuda.h"
#include "lda/training/sparse/parallel/word_counts_cuda.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

using execution::check;
using execution::DeviceArray;

// How many sweeps before the end the host begins to allocate memory for the results.
constexpr std::int64_t sweeps_for_room = 16;

template <class Entry>
class SparseParallelCudaSweep final : public CudaSweep {
 public:
  SparseParallelCudaSweep(const CudaStart& start, const SparseParallelTuning& tuning, SparseLayoutMade<Entry> made);

  void run(std::int64_t sweep) override;
  void set_priors(const Priors& priors) override;
  SweepDraws draws() override;
  void optimize(Priors& priors) override;
  void make_lists(const WordLists& lists, std::span<const std::int32_t> words) override;
  double log_joint() override;
  std::vector<std::int32_t> z() override;
  void count(State& state) override;
  void take(State& state) override;
  std::int64_t bytes() const override;

 private:
  void count_frequent_words();
  bool count_on_device(State& state);
  void download_z(std::vector<std::int32_t>& z);
  SparseLists<Entry> lists_of(sparse::Statistics* statistics);
  SparseDraw<Entry> draw_of(std::int64_t first_item, std::int64_t end_item);

  const CorpusView corpus_;
  const std::uint64_t seed_;
  const std::int32_t topic_count_;
  const std::int64_t last_sweep_;
  const int host_threads_;
  const std::int64_t allowed_bytes_;  // bytes of the device; 0: all
  const bool removes_;
  const SparseParallelTuning tuning_;
  const cudaStream_t stream_;
  const Seeds& seeds_;
  SeedsOnDevice start_of_counts_;
  Priors priors_;
  std::int64_t sweep_ = 0;
  RoomForState room_;
  SparseLayout layout_;
  SparseCorpus<Entry> tokens_;
  ItemDraws item_draws_;
  const bool by_pair_;
  TopicArrays topics_;
  DeviceArray<std::int32_t> frequent_, frequent_next_;
  DeviceArray<float> rows_;
  DeviceArray<sparse::Statistics> statistics_;               // of the last sweep, or of a likelihood
  std::optional<LogJointOnDevice> log_joint_;                // made when first needed
  std::optional<OptimizedPriorsOnDevice> optimized_priors_;  // made when first needed
};

template <class Entry>
SparseCut cut_of(const SparseParallelTuning& tuning) {
  SparseCut cut = tuning.cut;
  cut.entry_bytes = sizeof(Entry);
  cut.short_entries = cut.short_entries && !tuning.by_pair;
  return cut;
}

template <class Entry>
SparseParallelCudaSweep<Entry>::SparseParallelCudaSweep(const CudaStart& start, const SparseParallelTuning& tuning,
                                                        SparseLayoutMade<Entry> made)
    : corpus_(start.corpus),
      seed_(start.options.seed),
      topic_count_(start.options.topics),
      last_sweep_(start.options.sweeps),
      host_threads_(start.options.threads),
      allowed_bytes_(start.options.max_device_memory),
      removes_(start.plan.removes),
      tuning_(tuning),
      stream_(start.stream),
      seeds_(start.seeds),
      start_of_counts_(seeds_, stream_),
      priors_(start.priors),
      room_(corpus_.words.size(),
            static_cast<std::size_t>(corpus_.vocabulary_size()) * static_cast<std::size_t>(topic_count_),
            host_threads_),
      layout_(std::move(made.layout)),
      tokens_(layout_, std::move(made.by_word), start.z, corpus_.tokens(), topic_count_, host_threads_, stream_),
      item_draws_(tuning_, topic_count_, false),
      by_pair_(item_draws_.by_pair(layout_, corpus_.tokens())),
      topics_(topic_count_),
      statistics_(2, "sums of a sweep") {
  topics_.set_priors(priors_, stream_);
  statistics_.clear(stream_);
  if (start.z == nullptr) {
    queue_initial_topics(tokens_.z.data(), corpus_.tokens(), 0, topic_count_, seed_,
                         random::stream(random::Purpose::initial_topics), stream_);
  }
  if (!layout_.frequent_words.empty()) count_frequent_words();
  if (has_global_rows(tuning_, topic_count_)) {
    rows_ =
        DeviceArray<float>(blocks_with_global_rows() * (sparse_row_bytes(topics_.masses.padded) / 4), "rows of phi");
  }
  // The host has copies of these elsewhere, and no longer needs them.
  layout_.document = {};
  layout_.place = {};
}

template <class Entry>
void SparseParallelCudaSweep<Entry>::count_frequent_words() {
  const std::int64_t entries = std::ssize(layout_.frequent_words) * topics_.masses.padded;
  frequent_ = DeviceArray<std::int32_t>(entries, "counts of frequent words");
  frequent_next_ = DeviceArray<std::int32_t>(entries, "counts of frequent words");
  frequent_next_.clear(stream_);
  for (std::int64_t row = 0; row < std::ssize(layout_.frequent_words); ++row) {
    SeedsOnDevice::start_word(seeds_.of_word(layout_.frequent_words[static_cast<std::size_t>(row)]),
                              frequent_next_.data() + row * topics_.masses.padded, topics_.masses.padded, stream_);
  }
  queue_frequent_counts(draw_of(0, layout_.frequent_items), stream_);
}

template <class Entry>
void SparseParallelCudaSweep<Entry>::set_priors(const Priors& priors) {
  priors_ = priors;
  topics_.set_priors(priors_, stream_);
  if (log_joint_) log_joint_->set_priors(priors);
}

template <class Entry>
SparseDraw<Entry> SparseParallelCudaSweep<Entry>::draw_of(std::int64_t first_item, std::int64_t end_item) {
  const auto step = static_cast<std::uint32_t>(sweep_);
  return {.masses = topics_.masses,
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

// Makes lists and counts from the topics at the start of the sweep, then draws from them. The counts of
// frequent words are kept from sweep to sweep, because several blocks draw each such word; a block makes the
// counts of its other words itself.
template <class Entry>
void SparseParallelCudaSweep<Entry>::run(std::int64_t sweep) {
  sweep_ = sweep;
  start_of_counts_.start_topics(topics_.n_k, stream_);
  statistics_.clear(stream_);
  queue_sparse_lists(lists_of(statistics_.data()), stream_);
  queue_topic_masses(topics_.masses, topics_.arrays(static_cast<double>(corpus_.vocabulary_size()) * priors_.beta),
                     stream_);
  if (!layout_.frequent_words.empty()) {
    check(cudaMemcpyAsync(frequent_.data(), frequent_next_.data(), static_cast<std::size_t>(frequent_.bytes()),
                          cudaMemcpyDeviceToDevice, stream_),
          "a copy on the device");
  }
  item_draws_.queue(draw_of(0, std::ssize(layout_.items)), layout_, layout_.all_items(), stream_);
  if (sweep > last_sweep_ - sweeps_for_room) room_.prepare();
}

// From lists and counts that are made again, of the topics after the last sweep.
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

// From lists and counts that are made again, too.
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

// The same, with items of the requested words, each of which has all tokens of its word.
template <class Entry>
void SparseParallelCudaSweep<Entry>::make_lists(const WordLists& lists, std::span<const std::int32_t> words) {
  std::vector<SparseItem> items;
  for (const std::int32_t word : words) {
    const auto w = static_cast<std::size_t>(word);
    const auto row = std::ranges::lower_bound(layout_.frequent_words, word);
    const bool is_frequent = row != layout_.frequent_words.end() && *row == word;
    items.push_back({static_cast<std::uint32_t>(layout_.word_offsets[w]),
                     static_cast<std::int32_t>(layout_.word_offsets[w + 1] - layout_.word_offsets[w]),
                     is_frequent ? static_cast<std::int32_t>(row - layout_.frequent_words.begin()) : -1});
  }
  const DeviceArray<SparseItem> on_device_items = on_device(items, "words", stream_);
  start_of_counts_.start_topics(topics_.n_k, stream_);
  queue_sparse_lists(lists_of(statistics_.data() + 1), stream_);
  queue_mass_reciprocals(topics_.n_k.data(), static_cast<double>(corpus_.vocabulary_size()) * priors_.beta, lists,
                         stream_);
  SparseDraw<Entry> draw = draw_of(0, 0);
  draw.items = on_device_items.data();
  draw.item_count = std::ssize(items);
  queue_item_counts(draw, lists, stream_);
  queue_word_lists(lists, lists.counts(), lists.stride(), 0, lists.count, stream_);
  check(cudaStreamSynchronize(stream_), "listing topics of words");  // the items must live until here
}

template <class Entry>
std::int64_t SparseParallelCudaSweep<Entry>::bytes() const {
  return tokens_.bytes() + topics_.bytes() + start_of_counts_.bytes() + frequent_.bytes() + frequent_next_.bytes() +
         rows_.bytes() + statistics_.bytes() + (log_joint_ ? log_joint_->bytes() : 0) +
         (optimized_priors_ ? optimized_priors_->bytes() : 0);
}

template <class Entry>
SweepDraws SparseParallelCudaSweep<Entry>::draws() {
  sparse::Statistics sums = {};
  statistics_.download(&sums, 1, stream_);
  check(cudaStreamSynchronize(stream_), "a copy from the device");
  return sparse_draws(sums, std::ssize(layout_.documents), tuning_.counts_parts ? corpus_.tokens() : 0);
}

template <class Entry>
std::vector<std::int32_t> SparseParallelCudaSweep<Entry>::z() {
  std::vector<std::int32_t> z = room_.take_z();
  download_z(z);
  return z;
}

template <class Entry>
void SparseParallelCudaSweep<Entry>::download_z(std::vector<std::int32_t>& z) {
  execution::StagedCopies(tokens_.z.bytes(), host_threads_, stream_)
      .download(z.data(), tokens_.z.data(), corpus_.tokens());
}

template <class Entry>
void SparseParallelCudaSweep<Entry>::take(State& state) {
  room_.prepare();
  const bool is_counted = count_on_device(state);
  state.z = room_.take_z();
  download_z(state.z);
  if (!is_counted) state.count(corpus_, host_threads_);
}

template <class Entry>
void SparseParallelCudaSweep<Entry>::count(State& state) {
  if (!count_on_device(state)) state.count(corpus_, host_threads_);
}

// What State::count does, from the topics on the device, if it has room for the table or for parts of it.
template <class Entry>
bool SparseParallelCudaSweep<Entry>::count_on_device(State& state) {
  require_countable(corpus_, host_threads_);
  const std::int64_t free = execution::free_device_bytes() / 2;
  const std::int64_t budget = allowed_bytes_ > 0 ? std::min(allowed_bytes_ - bytes(), free) : free;
  state.n_wk = room_.take_n_wk();
  start_of_counts_.start_topics(topics_.n_k, stream_);
  try {
    if (!count_words_on_device(draw_of(0, 0), std::span<const std::int64_t>(layout_.word_offsets), budget,
                               host_threads_, std::span(state.n_wk), topics_.n_k.data(), stream_)) {
      return false;
    }
  } catch (const execution::OutOfDeviceMemory&) {
    return false;
  }
  seeds_.add_to_words(state.n_wk);
  state.n_k.resize(static_cast<std::size_t>(topic_count_));
  topics_.n_k.download(state.n_k.data(), topic_count_, stream_);
  check(cudaStreamSynchronize(stream_), "a copy from the device");
  return true;
}

}  // namespace

template <class Entry>
SparseLayoutMade<Entry> sparse_layout(const CudaStart& start, const SparseParallelTuning& tuning, std::int64_t memory) {
  using Number = typename Entry::Number;
  const CorpusView& corpus = start.corpus;
  const TrainOptions& options = start.options;
  const SparseCut cut = cut_of<Entry>(tuning);
  const std::int64_t part = tokens_per_sort(corpus.tokens());
  const bool fits =
      bytes_to_order_by_word<Number>(corpus.tokens(), corpus.vocabulary_size(), corpus.documents(), part) <= memory;
  if (fits && corpus.tokens() > 0 && !tuning.orders_on_host) {
    try {
      std::optional<TokensByWord<Number>> by_word;
      SparseLayout layout(corpus, options.topics, cut, start.seeds, options.threads, [&](const SparseLayout& placed) {
        by_word = order_by_word<Number>(corpus, placed.document_order(), options.threads, start.stream, part);
        return std::exchange(by_word->word_offsets, {});
      });
      return {std::move(layout), std::move(by_word)};
    } catch (const execution::OutOfDeviceMemory&) {  // free memory is in pieces, into which the request does not fit
    }
  }
  return {SparseLayout(corpus, options.topics, cut, start.seeds, options.threads), std::nullopt};
}

template <class Entry>
std::int64_t bytes_in_one_piece(const CudaStart& start, const SparseLayout& layout) {
  const std::int64_t row = padded_topics(start.options.topics) * std::int64_t{sizeof(std::int32_t)};
  return SparseCorpus<Entry>::bytes_needed(layout, start.corpus.tokens(), start.options.topics) +
         2 * std::ssize(layout.frequent_words) * row;
}

template <class Entry>
std::unique_ptr<CudaSweep> make_sweep_in_one_piece(const CudaStart& start, const SparseParallelTuning& tuning,
                                                   SparseLayoutMade<Entry> made) {
  return std::make_unique<SparseParallelCudaSweep<Entry>>(start, tuning, std::move(made));
}

template SparseLayoutMade<sparse::NarrowEntry> sparse_layout(const CudaStart&, const SparseParallelTuning&,
                                                             std::int64_t);
template SparseLayoutMade<sparse::WideEntry> sparse_layout(const CudaStart&, const SparseParallelTuning&, std::int64_t);
template std::int64_t bytes_in_one_piece<sparse::NarrowEntry>(const CudaStart&, const SparseLayout&);
template std::int64_t bytes_in_one_piece<sparse::WideEntry>(const CudaStart&, const SparseLayout&);
template std::unique_ptr<CudaSweep> make_sweep_in_one_piece(const CudaStart&, const SparseParallelTuning&,
                                                            SparseLayoutMade<sparse::NarrowEntry>);
template std::unique_ptr<CudaSweep> make_sweep_in_one_piece(const CudaStart&, const SparseParallelTuning&,
                                                            SparseLayoutMade<sparse::WideEntry>);

}  // namespace papilio::lda
