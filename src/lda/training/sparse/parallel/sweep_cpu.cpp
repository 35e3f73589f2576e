#include "lda/training/sparse/parallel/sweep_cpu.h"

#include <algorithm>
#include <mutex>
#include <span>
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

std::vector<bool> seeds_among_words(const CorpusView& corpus, const TrainOptions& options) {
  std::vector<bool> is_seed(corpus.vocabulary.size());
  for (const SeedWord& seed : options.seed_words) is_seed[static_cast<std::size_t>(seed.word)] = true;
  return is_seed;
}

template <class Entry>
class SparseParallelSweep final : public CpuSweep {
 public:
  SparseParallelSweep(const CorpusView& corpus, const TrainOptions& options, const Plan& plan)
      : corpus_(corpus),
        seed_(options.seed),
        threads_(options.threads),
        removes_(plan.removes),
        order_(corpus, options.threads),
        tasks_(order_, seeds_among_words(corpus, options), options.threads),
        topics_(options.topics),
        lists_(corpus, order_.places.data(), options.topics, options.threads),
        scratch_(options.threads,
                 [topics = options.topics] { return std::make_unique<sparse::ThreadScratch>(topics); }) {}

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
  void count_shared_words(const State& state);
  template <class Count>
  void count_word(std::size_t word, Count* row) const;

  const CorpusView corpus_;
  const std::uint64_t seed_;
  const int threads_;
  const bool removes_;
  const sparse::WordOrder order_;
  // Seed words are treated as shared: their counts are made before the draws, because a task sees only tokens.
  const sparse::DrawTasks tasks_;
  sparse::TopicTable topics_;
  sparse::DocumentLists<Entry> lists_;
  std::vector<std::uint32_t> shared_counts_;  // n_wk of the shared words at the start of the sweep, with the seeds'
  ScratchPool<sparse::ThreadScratch> scratch_;
  SweepDraws draws_;
  bool has_z_ = false;        // whether lists_ has z
  bool z_is_settled_ = true;  // whether the state has z
  bool counts_are_settled_ = true;
};

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
  const std::span<const std::int64_t> words = tasks_.shared_words();
  shared_counts_.assign(words.size() * static_cast<std::size_t>(topics), 0);
  execution::parallel_for(std::ssize(words), 1, threads_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t word = words[static_cast<std::size_t>(i)];
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

// Takes z from the lists, but does not update the counts.
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
  sparse::Claims claims(tasks_.all().size());
  execution::parallel_for(execution::thread_count(threads_), 1, threads_, [&](std::int64_t, std::int64_t) {
    std::size_t place = 0;
    if (!claims.take(place)) return;
    typename ScratchPool<sparse::ThreadScratch>::Loan scratch(scratch_);
    const sparse::Scratch memory = (*scratch).start(topics_.masses());
    Statistics here;
    do {
      const sparse::DrawTask& task = tasks_.all()[place];
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
    } while (claims.take(place));
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
