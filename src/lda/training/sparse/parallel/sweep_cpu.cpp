#include "lda/training/sparse/parallel/sweep_cpu.h"

#include <algorithm>
#include <mutex>
#include <utility>

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

// Tokens that one thread draws at a time. A word of more than twice as many is shared by threads.
constexpr std::int64_t tokens_per_task = std::int64_t{1} << 14;
constexpr std::int64_t most_tokens_per_word = 2 * tokens_per_task;

struct Task {
  std::int64_t first_word;
  std::int64_t first_pair;
  std::int64_t begin;  // in the order of words
  std::int64_t end;
  std::int64_t shared_word = -1;  // of those kept for words that are shared
};

template <class Entry>
class SparseParallelSweep final : public CpuSweep {
 public:
  SparseParallelSweep(const CorpusView& corpus, const TrainOptions& options, const Plan& plan)
      : corpus_(corpus),
        seed_(options.seed),
        threads_(options.threads),
        removes_(plan.removes),
        order_(corpus),
        topics_(options.topics),
        lists_(corpus, order_.places.data(), options.topics, options.threads),
        scratch_(options.threads,
                 [topics = options.topics] { return std::make_unique<sparse::ThreadScratch>(topics); }) {
    std::vector<bool> is_seed(corpus.vocabulary.size());
    for (const SeedWord& seed : options.seed_words) is_seed[static_cast<std::size_t>(seed.word)] = true;
    plan_tasks(is_seed);
  }

  void run(State& state) override;

  void settle_z(State& state) override {
    if (!std::exchange(z_is_settled_, true)) lists_.copy_topics(state.z);
  }

  void settle(State& state) override {
    settle_z(state);
    if (std::exchange(counts_are_settled_, true)) return;
    count_words(state);
    state.count_topics(threads_);
  }

  SweepDraws draws() const override { return draws_; }

 private:
  Statistics draw_z(const State& state);
  void count_words(State& state) const;
  void plan_tasks(const std::vector<bool>& is_seed);
  void plan_shared_word(std::int64_t word);
  void count_shared_words(const State& state);
  template <class Count>
  void count_word(std::size_t word, Count* row) const;

  const CorpusView corpus_;
  const std::uint64_t seed_;
  const int threads_;
  const bool removes_;
  const sparse::WordOrder order_;
  sparse::TopicTable topics_;
  sparse::DocumentLists<Entry> lists_;
  std::vector<Task> tasks_;
  std::vector<std::int64_t> shared_words_;
  std::vector<std::uint32_t> shared_counts_;  // n_wk of these words, of the sweep's start, and the seeds'
  ScratchPool<sparse::ThreadScratch> scratch_;
  SweepDraws draws_;
  bool has_z_ = false;        // in lists_
  bool z_is_settled_ = true;  // in the state
  bool counts_are_settled_ = true;
};

// Words with many tokens first, in parts of their own; the others several a task. Seed words are among the former,
// since their counts are made beforehand too: what draws a task knows tokens alone.
template <class Entry>
void SparseParallelSweep<Entry>::plan_tasks(const std::vector<bool>& is_seed) {
  const auto words = static_cast<std::int64_t>(order_.offsets.size()) - 1;
  std::vector<Task> others;
  for (std::int64_t w = 0; w < words;) {
    const std::int64_t begin = order_.offsets[static_cast<std::size_t>(w)];
    std::int64_t end = order_.offsets[static_cast<std::size_t>(w) + 1];
    if (end - begin > most_tokens_per_word || is_seed[static_cast<std::size_t>(w)]) {
      plan_shared_word(w++);
      continue;
    }
    const std::int64_t first = w++;
    while (w < words && !is_seed[static_cast<std::size_t>(w)]) {
      const std::int64_t next = order_.offsets[static_cast<std::size_t>(w) + 1];
      if (next - begin > tokens_per_task) break;
      end = next;
      ++w;
    }
    if (end > begin) others.push_back({first, order_.pair_offsets[static_cast<std::size_t>(first)], begin, end});
  }
  tasks_.insert(tasks_.end(), others.begin(), others.end());
}

template <class Entry>
void SparseParallelSweep<Entry>::plan_shared_word(std::int64_t word) {
  auto pair = static_cast<std::size_t>(order_.pair_offsets[static_cast<std::size_t>(word)]);
  std::int64_t at = order_.offsets[static_cast<std::size_t>(word)];
  const std::int64_t end = order_.offsets[static_cast<std::size_t>(word) + 1];
  while (at < end) {
    Task task = {word, static_cast<std::int64_t>(pair), at, at, std::ssize(shared_words_)};
    while (task.end < end && task.end - at < tokens_per_task) task.end += order_.sizes[pair++];
    tasks_.push_back(task);
    at = task.end;
  }
  shared_words_.push_back(word);
}

template <class Entry>
template <class Count>
void SparseParallelSweep<Entry>::count_word(std::size_t word, Count* row) const {
  const auto end = static_cast<std::size_t>(order_.offsets[word + 1]);
  for (auto i = static_cast<std::size_t>(order_.offsets[word]); i < end; ++i) ++row[lists_.spots()[i].topic];
}

template <class Entry>
void SparseParallelSweep<Entry>::count_words(State& state) const {
  std::fill(state.n_wk.begin(), state.n_wk.end(), 0);
  state.seeds.add_to_words(state.n_wk);
  const std::int64_t words = std::ssize(order_.offsets) - 1;
  execution::parallel_for(words, 64, threads_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w) {
      count_word(static_cast<std::size_t>(w), state.n_wk.data() + w * state.topics);
    }
  });
}

template <class Entry>
void SparseParallelSweep<Entry>::count_shared_words(const State& state) {
  const std::int32_t topics = state.topics;
  shared_counts_.assign(shared_words_.size() * static_cast<std::size_t>(topics), 0);
  execution::parallel_for(std::ssize(shared_words_), 1, threads_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t word = shared_words_[static_cast<std::size_t>(i)];
      std::uint32_t* const row = shared_counts_.data() + i * topics;
      count_word(static_cast<std::size_t>(word), row);
      for (const SeedWord& seed : state.seeds.of_word(word)) row[seed.topic] += static_cast<std::uint32_t>(seed.weight);
    }
  });
}

template <class Entry>
void SparseParallelSweep<Entry>::run(State& state) {
  if (!std::exchange(has_z_, true)) lists_.set_topics(state.z);
  lists_.build(state.n_k);
  state.seeds.add_to_topics(state.n_k);
  const Statistics drawn = draw_z(state);
  z_is_settled_ = counts_are_settled_ = false;
  const auto all = static_cast<double>(corpus_.tokens());
  draws_ = {.sparse = true,
            .topics_per_document = static_cast<double>(lists_.size()) / static_cast<double>(lists_.documents()),
            .from_own = static_cast<double>(drawn.from_own) / all,
            .from_document = static_cast<double>(drawn.from_document) / all,
            .from_word = static_cast<double>(drawn.from_word) / all,
            .from_prior = static_cast<double>(drawn.from_prior) / all};
}

// From the lists; counts do not follow.
template <class Entry>
Statistics SparseParallelSweep<Entry>::draw_z(const State& state) {
  topics_.update(state, corpus_.vocabulary_size());
  count_shared_words(state);
  const sparse::Tokens<Entry> tokens = {.numbers = order_.numbers.data(),
                                        .word_offsets = order_.offsets.data(),
                                        .documents = order_.documents.data(),
                                        .sizes = order_.sizes.data(),
                                        .entries = lists_.entries(),
                                        .lists = lists_.lists(),
                                        .spots = lists_.spots()};
  std::mutex mutex;
  Statistics sum = {.entries = lists_.size()};
  execution::parallel_for(std::ssize(tasks_), 1, threads_, [&](std::int64_t begin, std::int64_t end) {
    typename ScratchPool<sparse::ThreadScratch>::Loan scratch(scratch_);
    const sparse::Scratch memory = (*scratch).start(topics_.masses());
    Statistics here;
    for (std::int64_t i = begin; i < end; ++i) {
      const Task& task = tasks_[static_cast<std::size_t>(i)];
      const std::uint32_t* shared_counts =
          task.shared_word < 0 ? nullptr : shared_counts_.data() + task.shared_word * state.topics;
      const sparse::Range<Entry> range = {.masses = &topics_.masses(),
                                          .tokens = &tokens,
                                          .first_word = task.first_word,
                                          .first_pair = task.first_pair,
                                          .begin = task.begin,
                                          .end = task.end,
                                          .shared_counts = shared_counts,
                                          .seed = seed_,
                                          .sweep = static_cast<std::uint32_t>(state.sweep),
                                          .removes = removes_};
      sparse::draw(range, memory, here);
    }
    const std::lock_guard lock(mutex);
    sum.from_own += here.from_own;
    sum.from_document += here.from_document;
    sum.from_word += here.from_word;
    sum.from_prior += here.from_prior;
  });
  return sum;
}

}  // namespace

std::unique_ptr<CpuSweep> make_sparse_parallel_sweep(const CorpusView& corpus, const TrainOptions& options,
                                                     const Plan& plan) {
  if (sparse::fits_narrow_entries(corpus, options.topics)) {
    return std::make_unique<SparseParallelSweep<NarrowEntry>>(corpus, options, plan);
  }
  return std::make_unique<SparseParallelSweep<WideEntry>>(corpus, options, plan);
}

}  // namespace papilio::lda
