#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lda/training/memory/big_array.h"
#include "lda/training/sparse/parallel/batch.h"
#include "papilio/corpus.h"

namespace papilio::lda::sparse {

// The tokens of a corpus word by word, in ascending order within each word; fewer than 2^32. The tokens of a word in
// one document form a pair, or several if there are more than most_tokens.
struct WordOrder {
  WordOrder(const CorpusView& corpus, int threads);

  BigArray<std::uint32_t> numbers;         // N, then zeros, as in the other BigArrays: kernels read ahead
  BigArray<std::uint32_t> places;          // N: the place of each token in this order
  std::vector<std::int64_t> offsets;       // V + 1, into both
  std::vector<std::int64_t> pair_offsets;  // V + 1
  BigArray<std::uint32_t> documents;       // for each pair
  BigArray<std::uint8_t> sizes;            // for each pair: its tokens

 private:
  struct Cursor;
  class Parts;
  WordOrder(const CorpusView& corpus, Parts&& parts, int threads);
};

// Several threads share a word that has more tokens than this.
inline constexpr std::int64_t most_tokens_per_word = std::int64_t{1} << 15;

// What one thread draws at a time.
struct DrawTask {
  std::int64_t first_word;
  std::int64_t first_pair;
  std::int64_t begin;  // in the order of words
  std::int64_t end;
  std::int64_t shared_word = -1;  // its word's place among the shared words; -1: not shared

  std::int64_t tokens() const { return end - begin; }
};

// All tokens, divided into tasks in the order in which threads should take them. Frequent words come first, in
// tasks of their own. The other words follow, several in a task. Tasks become smaller towards the end, so that all
// threads finish at about the same time.
class DrawTasks {
 public:
  // Seed words are treated as shared, however few tokens they have.
  DrawTasks(const WordOrder& order, const std::vector<bool>& is_seed, int threads);

  std::span<const DrawTask> all() const { return tasks_; }
  std::span<const std::int64_t> shared_words() const { return shared_words_; }

 private:
  void add_shared_word(const WordOrder& order, std::int64_t word);
  void add_frequent_words(const WordOrder& order);
  void add_other_words(const WordOrder& order, int threads);
  bool is_alone(const WordOrder& order, std::int64_t word) const;

  std::vector<bool> is_shared_;
  std::int64_t least_tokens_;  // the least number of tokens of a task with several words
  std::vector<DrawTask> tasks_;
  std::vector<std::int64_t> shared_words_;
};

// Hands out the places below `count`, in order, to the threads that ask.
class Claims {
 public:
  explicit Claims(std::size_t count) : count_(count) {}

  // Returns false if none is left.
  bool take(std::size_t& place) {
    place = next_.fetch_add(1, std::memory_order_relaxed);
    return place < count_;
  }

 private:
  const std::size_t count_;
  alignas(128) std::atomic<std::size_t> next_ = 0;  // not in a cache line with data that threads only read
};

}  // namespace papilio::lda::sparse
