#include "lda/training/distributed/sparse_sweep_cpu.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

#include "execution/cpu/parallel_for.h"
#include "lda/training/memory/scratch_pool.h"
#include "lda/training/sparse/parallel/batch.h"
#include "lda/training/sparse/parallel/lists_cpu.h"
#include "lda/training/sparse/parallel/thread_scratch_cpu.h"
#include "lda/training/sparse/parallel/topic_masses_cpu.h"
#include "lda/training/sparse/parallel/word_order_cpu.h"

namespace papilio::lda {
namespace {

using sparse::NarrowEntry;
using sparse::Statistics;
using sparse::WideEntry;

// Counts per block: 4 MiB, which take a few milliseconds on a network.
constexpr std::int64_t counts_per_block = std::int64_t{1} << 20;

// Tokens that one thread draws at a time.
constexpr std::int64_t tokens_per_block_task = std::int64_t{1} << 14;

struct BlockTask {
  std::int64_t first_word;
  std::int64_t first_pair;
  std::int64_t begin;  // in the order of words
  std::int64_t end;
};

// Words [first, end), and the tasks that draw their tokens.
struct WordBlock {
  std::int64_t first_word;
  std::int64_t end_word;
  std::vector<BlockTask> tasks;
};

template <class Entry>
class SparseSweepOfRank final : public CpuSweep {
 public:
  SparseSweepOfRank(const CorpusView& corpus, const TrainOptions& options, const Plan& plan, Communicator& ranks)
      : seed_(options.seed),
        threads_(options.threads),
        removes_(plan.removes),
        tokens_(corpus.tokens()),
        ranks_(ranks),
        order_(corpus, options.threads),
        topics_(options.topics),
        lists_(corpus, order_.places.data(), options.topics, options.threads),
        scratch_(options.threads,
                 [topics = options.topics] { return std::make_unique<sparse::ThreadScratch>(topics); }) {
    const std::int64_t words = std::max<std::int64_t>(1, counts_per_block / options.topics);
    for (std::int64_t w = 0; w < corpus.vocabulary_size(); w += words) {
      plan_block(w, std::min(w + words, corpus.vocabulary_size()));
    }
  }

  void run(State& state) override {
    if (!std::exchange(has_z_, true)) lists_.set_topics(state.z);
    lists_.build(state.n_k);
    ranks_.add_up(state.n_k);
    state.seeds.add_to_topics(state.n_k);
    topics_.update(state, std::ssize(order_.offsets) - 1);
    const Statistics drawn = draw_blocks(state);
    z_is_settled_ = counts_are_settled_ = false;
    const auto share = [&](std::int64_t count) {
      return static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(1, tokens_));
    };
    draws_ = {.sparse = true,
              .topics_per_document = static_cast<double>(lists_.size()) /
                                     static_cast<double>(std::max<std::int64_t>(1, lists_.documents())),
              .from_own = share(drawn.from_own),
              .from_document = share(drawn.from_document),
              .from_word = share(drawn.from_word),
              .from_prior = share(drawn.from_prior)};
  }

  void settle_z(State& state) override {
    if (!std::exchange(z_is_settled_, true)) lists_.copy_topics(state.z);
  }

  void settle(State& state) override {
    settle_z(state);
    if (std::exchange(counts_are_settled_, true)) return;
    for (const WordBlock& block : blocks_) count_block(state, block);
    count_topics(state);
  }

  // Of this rank's tokens.
  SweepDraws draws() const override { return draws_; }

 private:
  void plan_block(std::int64_t first_word, std::int64_t end_word);
  void plan_word(std::int64_t word, WordBlock& block) const;
  Statistics draw_blocks(State& state);
  void draw_block(const State& state, const WordBlock& block, Statistics& sum);
  void count_block(State& state, const WordBlock& block);
  void count_topics(State& state);

  std::int64_t offset(std::int64_t word) const { return order_.offsets[static_cast<std::size_t>(word)]; }

  const std::uint64_t seed_;
  const int threads_;
  const bool removes_;
  const std::int64_t tokens_;
  Communicator& ranks_;
  const sparse::WordOrder order_;
  sparse::TopicTable topics_;
  sparse::DocumentLists<Entry> lists_;
  std::vector<WordBlock> blocks_;
  ScratchPool<sparse::ThreadScratch> scratch_;
  SweepDraws draws_;
  bool has_z_ = false;        // lists_ has the topics
  bool z_is_settled_ = true;  // the state has the topics
  bool counts_are_settled_ = true;
};

// Words with many tokens come first, in parts; then the others, several per task.
template <class Entry>
void SparseSweepOfRank<Entry>::plan_block(std::int64_t first_word, std::int64_t end_word) {
  WordBlock block = {first_word, end_word, {}};
  std::vector<BlockTask> others;
  for (std::int64_t w = first_word; w < end_word;) {
    if (offset(w + 1) - offset(w) > 2 * tokens_per_block_task) {
      plan_word(w++, block);
      continue;
    }
    const std::int64_t first = w++;
    while (w < end_word && offset(w + 1) - offset(first) <= tokens_per_block_task) ++w;
    if (offset(w) > offset(first)) {
      others.push_back({first, order_.pair_offsets[static_cast<std::size_t>(first)], offset(first), offset(w)});
    }
  }
  block.tasks.insert(block.tasks.end(), others.begin(), others.end());
  blocks_.push_back(std::move(block));
}

template <class Entry>
void SparseSweepOfRank<Entry>::plan_word(std::int64_t word, WordBlock& block) const {
  auto pair = static_cast<std::size_t>(order_.pair_offsets[static_cast<std::size_t>(word)]);
  for (std::int64_t at = offset(word); at < offset(word + 1);) {
    BlockTask task = {word, static_cast<std::int64_t>(pair), at, at};
    while (task.end < offset(word + 1) && task.end - at < tokens_per_block_task) task.end += order_.sizes[pair++];
    block.tasks.push_back(task);
    at = task.end;
  }
}

// Draws a block's tokens while the next block is counted. Its words are others, so the draws do not change its counts.
template <class Entry>
Statistics SparseSweepOfRank<Entry>::draw_blocks(State& state) {
  Statistics sum = {.entries = lists_.size()};
  if (blocks_.empty()) return sum;
  count_block(state, blocks_.front());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::future<void> next;
    if (b + 1 < blocks_.size()) {
      next = std::async(std::launch::async, [&, b] { count_block(state, blocks_[b + 1]); });
    }
    draw_block(state, blocks_[b], sum);
    if (next.valid()) next.get();
  }
  return sum;
}

// Reads and changes the topics in the lists; the counts do not follow.
template <class Entry>
void SparseSweepOfRank<Entry>::draw_block(const State& state, const WordBlock& block, Statistics& sum) {
  const sparse::Tokens<Entry> tokens = {.numbers = order_.numbers.data(),
                                        .word_offsets = order_.offsets.data(),
                                        .documents = order_.documents.data(),
                                        .sizes = order_.sizes.data(),
                                        .entries = lists_.entries(),
                                        .lists = lists_.lists(),
                                        .spots = lists_.spots()};
  // Kernels read counts as unsigned numbers; none is negative.
  const auto* counts = reinterpret_cast<const std::uint32_t*>(state.n_wk.data());
  std::mutex mutex;
  execution::parallel_for(std::ssize(block.tasks), 1, threads_, [&](std::int64_t begin, std::int64_t end) {
    typename ScratchPool<sparse::ThreadScratch>::Loan scratch(scratch_);
    const sparse::Scratch memory = (*scratch).start(topics_.masses());
    Statistics here;
    for (std::int64_t i = begin; i < end; ++i) {
      const BlockTask& task = block.tasks[static_cast<std::size_t>(i)];
      const sparse::Range<Entry> range = {.masses = &topics_.masses(),
                                          .tokens = &tokens,
                                          .first_word = task.first_word,
                                          .first_pair = task.first_pair,
                                          .begin = task.begin,
                                          .end = task.end,
                                          .shared_counts = counts + task.first_word * state.topics,
                                          .seed = seed_,
                                          .sweep = static_cast<std::uint32_t>(state.sweep),
                                          .removes = removes_,
                                          .first_token = static_cast<std::uint64_t>(state.place.token)};
      sparse::draw(range, memory, here);
    }
    const std::lock_guard lock(mutex);
    sum.from_own += here.from_own;
    sum.from_document += here.from_document;
    sum.from_word += here.from_word;
    sum.from_prior += here.from_prior;
  });
}

// Sets n_wk of the block's words to the counts of all ranks and of the seeds.
template <class Entry>
void SparseSweepOfRank<Entry>::count_block(State& state, const WordBlock& block) {
  const std::int64_t words = block.end_word - block.first_word;
  const auto rows = std::span(state.n_wk)
                        .subspan(static_cast<std::size_t>(block.first_word * state.topics),
                                 static_cast<std::size_t>(words * state.topics));
  execution::parallel_for(words, 64, threads_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = block.first_word + begin; w < block.first_word + end; ++w) {
      std::int32_t* const row = state.n_wk.data() + w * state.topics;
      std::fill_n(row, state.topics, 0);
      for (std::int64_t i = offset(w); i < offset(w + 1); ++i) ++row[lists_.spots()[i].topic];
    }
  });
  ranks_.add_up(rows);
  for (std::int64_t w = block.first_word; w < block.end_word && !state.seeds.empty(); ++w) {
    for (const SeedWord& seed : state.seeds.of_word(w)) {
      rows[static_cast<std::size_t>((w - block.first_word) * state.topics + seed.topic)] += seed.weight;
    }
  }
}

template <class Entry>
void SparseSweepOfRank<Entry>::count_topics(State& state) {
  std::fill(state.n_k.begin(), state.n_k.end(), 0);
  for (std::int64_t i = 0; i < tokens_; ++i) ++state.n_k[static_cast<std::size_t>(lists_.spots()[i].topic)];
  ranks_.add_up(state.n_k);
  state.seeds.add_to_topics(state.n_k);
}

}  // namespace

std::unique_ptr<CpuSweep> make_sparse_sweep_of_rank(const CorpusView& corpus, const TrainOptions& options,
                                                    const Plan& plan, Communicator& ranks) {
  if (sparse::fits_narrow_entries(corpus, options.topics)) {
    return std::make_unique<SparseSweepOfRank<NarrowEntry>>(corpus, options, plan, ranks);
  }
  return std::make_unique<SparseSweepOfRank<WideEntry>>(corpus, options, plan, ranks);
}

}  // namespace papilio::lda
