#include "lda/training/distributed/sparse_sweep_cuda.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/math.h"
#include "execution/cuda/event.h"
#include "execution/cuda/memory.h"
#include "execution/cuda/staged_copies.h"
#include "lda/training/distributed/kept_counts_cuda.h"
#include "lda/training/distributed/word_counts_cuda.h"
#include "lda/training/log_joint/log_joint_cuda.h"
#include "lda/training/memory/seeds_on_device_cuda.h"
#include "lda/training/parameters/topic_counts_cuda.h"
#include "lda/training/priors/optimize_priors_cuda.h"
#include "lda/training/sparse/parallel/arrays_cuda.h"
#include "lda/training/sparse/parallel/item_draws_cuda.h"
#include "lda/training/sparse/parallel/lists_cpu.h"
#include "lda/training/sparse/parallel/sweep_cuda.h"
#include "papilio/error.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

using execution::check;
using execution::DeviceArray;

// The counts of a block of words: 64 MiB, which GPUs of one host exchange in a fraction of a millisecond. That many
// blocks are counted while others are drawn.
constexpr std::int64_t counts_of_block = std::int64_t{1} << 24;
constexpr std::size_t blocks_ahead = 4;

std::int64_t words_per_block(std::int32_t topics) {
  return std::max<std::int64_t>(1, counts_of_block / padded_topics(topics));
}

SparseParallelTuning tuning_of(std::int32_t topics) {
  SparseParallelTuning tuning;
  tuning.cut.words_per_block = words_per_block(topics);
  return tuning;
}

template <class Entry>
class SparseCudaSweepOfRank final : public CudaSweep {
 public:
  SparseCudaSweepOfRank(const CudaStart& start, SparseLayoutMade<Entry> made, std::int64_t memory);

  void run(std::int64_t sweep) override;
  void set_priors(const Priors& priors) override;
  SweepDraws draws() override;
  void optimize(Priors& priors) override;
  void make_lists(const WordLists& lists, std::span<const std::int32_t> words) override;
  double log_joint() override;
  std::vector<std::int32_t> z() override;
  void count(State& state) override;
  std::int64_t bytes() const override;

 private:
  void list_topics(sparse::Statistics* statistics);
  void count_own(const ItemBlock& block, std::int32_t* rows, cudaStream_t stream);
  void count_block(const ItemBlock& block, DeviceArray<std::int32_t>& rows);
  void draw_block(const ItemBlock& block, const DeviceArray<std::int32_t>& rows);
  void add_up_topics();
  SparseLists<Entry> lists_of(sparse::Statistics* statistics);
  SparseDraw<Entry> draw_of(std::int64_t first_item, std::int64_t end_item);

  // Calls use(block, rows) for each block of words, on the chain's stream. `rows` has its counts over all ranks, seeds
  // included, in device memory. Collective.
  template <class Use>
  void for_each_block(const Use& use);

  std::int64_t counts_in(const ItemBlock& block) const {
    return (block.end_word - block.first_word) * std::int64_t{topics_.masses.padded};
  }

  const CorpusView corpus_;
  const DeviceRanks& ranks_;
  const std::uint64_t seed_;
  const std::int32_t topic_count_;
  const int host_threads_;
  const bool removes_;
  const cudaStream_t stream_;
  // Counts blocks and adds them up over ranks while others are drawn. Urgent, since draws wait for the result.
  execution::Stream counts_{execution::Urgency::urgent};
  const Seeds& seeds_;
  SeedsOnDevice start_of_counts_;
  Priors priors_;
  std::int64_t sweep_ = 0;
  execution::Event sweep_begins_, topics_are_listed_, topics_are_added_up_;
  execution::Event block_is_counted_, rows_are_free_;
  std::array<execution::Event, blocks_ahead> rows_are_used_;
  SparseLayout layout_;
  SparseCorpus<Entry> tokens_;
  ItemDraws item_draws_;
  const bool by_pair_;
  TopicArrays topics_;
  std::array<DeviceArray<std::int32_t>, blocks_ahead> rows_of_blocks_;
  KeptCounts kept_;
  DeviceArray<SeedWord> seed_words_;
  DeviceArray<float> global_rows_;
  DeviceArray<sparse::Statistics> statistics_;               // of the last sweep, or of a likelihood
  std::optional<LogJointOnDevice> log_joint_;                // made when first needed
  std::optional<OptimizedPriorsOnDevice> optimized_priors_;  // made when first needed
};

// The seeds that a rank adds to its counts: only the first does, so that sums over ranks include them once.
const Seeds& seeds_of_rank(const CudaStart& start) {
  static const Seeds none;
  return start.ranks->is_first() ? start.seeds : none;
}

template <class Entry>
SparseCudaSweepOfRank<Entry>::SparseCudaSweepOfRank(const CudaStart& start, SparseLayoutMade<Entry> made,
                                                    std::int64_t memory)
    : corpus_(start.corpus),
      ranks_(*start.ranks),
      seed_(start.options.seed),
      topic_count_(start.options.topics),
      host_threads_(start.options.threads),
      removes_(start.plan.removes),
      stream_(start.stream),
      seeds_(start.seeds),
      start_of_counts_(seeds_of_rank(start), stream_),
      priors_(start.priors),
      layout_(std::move(made.layout)),
      tokens_(layout_, std::move(made.by_word), start.z, corpus_.tokens(), topic_count_, host_threads_, stream_),
      item_draws_({}, topic_count_, true),
      by_pair_(item_draws_.by_pair(layout_, corpus_.tokens())),
      topics_(topic_count_),
      seed_words_(on_device(seeds_.words(), "seed words", stream_)),
      statistics_(2, "sums of a sweep") {
  topics_.set_priors(priors_, stream_);
  statistics_.clear(stream_);
  if (start.z == nullptr) {
    queue_initial_topics(tokens_.z.data(), corpus_.tokens(), static_cast<std::uint64_t>(ranks_.place.token),
                         topic_count_, seed_, random::stream(random::Purpose::initial_topics), stream_);
  }
  for (std::size_t slot = 0; slot < std::min(blocks_ahead, layout_.blocks.size()); ++slot) {
    rows_of_blocks_[slot] = DeviceArray<std::int32_t>(counts_in(layout_.blocks.front()), "counts of words");
  }
  if (!row_fits_in_shared(topics_.masses.padded)) {
    global_rows_ =
        DeviceArray<float>(blocks_with_global_rows() * (sparse_row_bytes(topics_.masses.padded) / 4), "rows of phi");
  }
  kept_ = KeptCounts(corpus_.vocabulary_size(), topics_.masses.padded, (memory - bytes()) / 2, stream_);
  for (const ItemBlock& block : layout_.blocks)
    if (kept_.are_kept()) count_own(block, kept_.from_word(block.first_word), stream_);
  layout_.document = {};  // the device has copies of these
  layout_.place = {};
  layout_.word_offsets = {};
}

template <class Entry>
void SparseCudaSweepOfRank<Entry>::set_priors(const Priors& priors) {
  priors_ = priors;
  topics_.set_priors(priors_, stream_);
  if (log_joint_) log_joint_->set_priors(priors);
}

template <class Entry>
SparseDraw<Entry> SparseCudaSweepOfRank<Entry>::draw_of(std::int64_t first_item, std::int64_t end_item) {
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
          .seed = seed_,
          .stream = random::stream(random::Purpose::topics, static_cast<std::uint32_t>(sweep_)),
          .first_token = static_cast<std::uint64_t>(ranks_.place.token),
          .removes = removes_,
          .by_pair = by_pair_,
          .statistics = statistics_.data(),
          .rows = global_rows_.data()};
}

template <class Entry>
SparseLists<Entry> SparseCudaSweepOfRank<Entry>::lists_of(sparse::Statistics* statistics) {
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

// Queues the documents' lists of the present topics, and n_k of this rank.
template <class Entry>
void SparseCudaSweepOfRank<Entry>::list_topics(sparse::Statistics* statistics) {
  start_of_counts_.start_topics(topics_.n_k, stream_);
  queue_sparse_lists(lists_of(statistics), stream_);
}

// Adds up n_k over ranks. All such sums are on one stream, so that every rank makes them in the same order.
template <class Entry>
void SparseCudaSweepOfRank<Entry>::add_up_topics() {
  topics_are_listed_.order(stream_, counts_.get());
  ranks_.sums.add_up(topics_.n_k.data(), topics_.n_k.size(), counts_.get());
  topics_are_added_up_.order(counts_.get(), stream_);
}

// Adds the block's tokens of this rank to `rows`.
template <class Entry>
void SparseCudaSweepOfRank<Entry>::count_own(const ItemBlock& block, std::int32_t* rows, cudaStream_t stream) {
  SparseDraw<Entry> draw = draw_of(block.first_item, block.end_item);
  draw.frequent_next = rows;
  queue_word_counts(draw, block.end_item - block.first_whole, stream);
}

template <class Entry>
void SparseCudaSweepOfRank<Entry>::count_block(const ItemBlock& block, DeviceArray<std::int32_t>& rows) {
  const std::int64_t counts = counts_in(block);
  if (!kept_.copy(block.first_word, counts, rows, counts_.get())) {
    rows.clear(counts_.get());
    count_own(block, rows.data(), counts_.get());
  }
  if (ranks_.is_first()) {
    const auto of_word = [](const SeedWord& seed, std::int64_t word) { return seed.word < word; };
    const std::vector<SeedWord>& seeds = seeds_.words();
    const auto first = std::lower_bound(seeds.begin(), seeds.end(), block.first_word, of_word);
    const auto end = std::lower_bound(first, seeds.end(), block.end_word, of_word);
    queue_seed_counts(seed_words_.data() + (first - seeds.begin()), end - first, block.first_word,
                      topics_.masses.padded, rows.data(), counts_.get());
  }
  ranks_.sums.add_up(rows.data(), counts, counts_.get());
}

// Draws the block's tokens as a single GPU does, except that the counts are given.
template <class Entry>
void SparseCudaSweepOfRank<Entry>::draw_block(const ItemBlock& block, const DeviceArray<std::int32_t>& rows) {
  SparseDraw<Entry> draw = draw_of(0, std::ssize(layout_.items));
  draw.frequent = rows.data();
  draw.frequent_next = kept_.from_word(block.first_word);
  item_draws_.queue(draw, layout_, block, stream_);
}

// Goes from the last block to the first. No tokens are drawn while the first block of a sweep is counted, so it should
// have few: words with high numbers tend to be rare.
template <class Entry>
void SparseCudaSweepOfRank<Entry>::run(std::int64_t sweep) {
  sweep_ = sweep;
  sweep_begins_.order(stream_, counts_.get());
  statistics_.clear(stream_);
  list_topics(statistics_.data());
  const std::size_t slots = std::min(blocks_ahead, layout_.blocks.size());
  for (std::size_t i = 0; i < layout_.blocks.size(); ++i) {
    const ItemBlock& block = layout_.blocks[layout_.blocks.size() - 1 - i];
    const std::size_t slot = i % slots;
    if (i >= slots) rows_are_used_[slot].make_wait(counts_.get());
    count_block(block, rows_of_blocks_[slot]);
    if (i == 0) {
      add_up_topics();
      queue_topic_masses(topics_.masses, topics_.arrays(static_cast<double>(corpus_.vocabulary_size()) * priors_.beta),
                         stream_);
    }
    block_is_counted_.order(counts_.get(), stream_);
    draw_block(block, rows_of_blocks_[slot]);
    rows_are_used_[slot].record(stream_);
  }
  ranks_.sums.wait(stream_);
}

template <class Entry>
template <class Use>
void SparseCudaSweepOfRank<Entry>::for_each_block(const Use& use) {
  for (const ItemBlock& block : layout_.blocks) {
    rows_are_free_.order(stream_, counts_.get());
    count_block(block, rows_of_blocks_.front());
    block_is_counted_.order(counts_.get(), stream_);
    use(block, rows_of_blocks_.front());
  }
  ranks_.sums.wait(stream_);
}

template <class Entry>
double SparseCudaSweepOfRank<Entry>::log_joint() {
  if (!log_joint_) log_joint_.emplace(ranks_.whole, seeds_, priors_, stream_, &ranks_);
  list_topics(statistics_.data() + 1);
  add_up_topics();
  const auto queue_words = [&](const TermSums& sums) {
    for_each_block([&](const ItemBlock& block, const DeviceArray<std::int32_t>& rows) {
      if (ranks_.is_first()) queue_word_terms(rows.data(), counts_in(block), sums, stream_);
    });
  };
  const auto queue_documents = [&](const TermSums& sums) {
    queue_list_terms(lists_of(statistics_.data() + 1), sums, stream_);
  };
  return (*log_joint_)(queue_words, queue_documents, topics_.n_k);
}

template <class Entry>
void SparseCudaSweepOfRank<Entry>::optimize(Priors& priors) {
  if (!optimized_priors_) optimized_priors_.emplace(ranks_.whole, seeds_, topic_count_, stream_, &ranks_);
  list_topics(statistics_.data() + 1);
  add_up_topics();
  const auto queue_words = [&](const CountHistograms& histograms) {
    for_each_block([&](const ItemBlock& block, const DeviceArray<std::int32_t>& rows) {
      queue_word_histogram(rows.data(), counts_in(block), histograms, stream_);
    });
  };
  const auto queue_documents = [&](const CountHistograms& histograms) {
    queue_list_histograms(lists_of(statistics_.data() + 1), histograms, stream_);
  };
  (*optimized_priors_)(queue_words, queue_documents, topics_.n_k, priors);
}

// Over ranks held-out documents are scored on the hosts, from count().
template <class Entry>
void SparseCudaSweepOfRank<Entry>::make_lists(const WordLists&, std::span<const std::int32_t>) {
  throw InvalidArgument("papilio::train: a rank's GPU lists no counts for held-out documents");
}

template <class Entry>
void SparseCudaSweepOfRank<Entry>::count(State& state) {
  list_topics(statistics_.data() + 1);
  add_up_topics();
  state.n_k.resize(static_cast<std::size_t>(topic_count_));
  const auto row = static_cast<std::size_t>(topic_count_) * sizeof(std::int32_t);
  execution::make_zeros(state.n_wk,
                        static_cast<std::size_t>(corpus_.vocabulary_size()) * static_cast<std::size_t>(topic_count_),
                        host_threads_);
  for_each_block([&](const ItemBlock& block, const DeviceArray<std::int32_t>& rows) {
    ranks_.sums.wait(stream_);  // the copy below may make the host wait
    check(
        cudaMemcpy2DAsync(state.n_wk.data() + block.first_word * topic_count_, row, rows.data(),
                          static_cast<std::size_t>(topics_.masses.padded) * sizeof(std::int32_t), row,
                          static_cast<std::size_t>(block.end_word - block.first_word), cudaMemcpyDeviceToHost, stream_),
        "a copy from the device");
  });
  topics_.n_k.download(state.n_k.data(), topic_count_, stream_);
  check(cudaStreamSynchronize(stream_), "a copy from the device");
}

template <class Entry>
std::int64_t SparseCudaSweepOfRank<Entry>::bytes() const {
  std::int64_t bytes = tokens_.bytes() + topics_.bytes() + start_of_counts_.bytes() + seed_words_.bytes() +
                       global_rows_.bytes() + statistics_.bytes() + kept_.bytes();
  for (const DeviceArray<std::int32_t>& rows : rows_of_blocks_) bytes += rows.bytes();
  return bytes;
}

template <class Entry>
SweepDraws SparseCudaSweepOfRank<Entry>::draws() {
  sparse::Statistics sums = {};
  statistics_.download(&sums, 1, stream_);
  check(cudaStreamSynchronize(stream_), "a copy from the device");
  const auto documents = static_cast<double>(std::max<std::size_t>(1, layout_.documents.size()));
  return {.sparse = true, .topics_per_document = static_cast<double>(sums.entries) / documents};
}

template <class Entry>
std::vector<std::int32_t> SparseCudaSweepOfRank<Entry>::z() {
  std::vector<std::int32_t> z;
  execution::make_zeros(z, corpus_.words.size(), host_threads_);
  execution::StagedCopies(tokens_.z.bytes(), host_threads_, stream_)
      .download(z.data(), tokens_.z.data(), corpus_.tokens());
  return z;
}

template <class Entry>
std::unique_ptr<CudaSweep> make(const CudaStart& start, std::int64_t memory) {
  return std::make_unique<SparseCudaSweepOfRank<Entry>>(
      start, sparse_layout<Entry>(start, tuning_of(start.options.topics), memory), memory);
}

}  // namespace

std::int64_t bytes_of_word_blocks(const CudaStart& start) {
  const std::int32_t topics = start.options.topics;
  const std::int64_t words = std::max<std::int64_t>(start.corpus.vocabulary_size(), 1);
  const std::int64_t in_block = std::min(words, words_per_block(topics));
  const auto blocks = std::min(static_cast<std::int64_t>(blocks_ahead), base::ceil_div(words, in_block));
  return blocks * in_block * padded_topics(topics) * static_cast<std::int64_t>(sizeof(std::int32_t)) +
         std::ssize(start.seeds.words()) * static_cast<std::int64_t>(sizeof(SeedWord));
}

std::unique_ptr<CudaSweep> make_sparse_sweep_by_word_blocks(const CudaStart& start, std::int64_t memory) {
  if (sparse::fits_narrow_entries(start.corpus, start.options.topics)) return make<sparse::NarrowEntry>(start, memory);
  return make<sparse::WideEntry>(start, memory);
}

}  // namespace papilio::lda
