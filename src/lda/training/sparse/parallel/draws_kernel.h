#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/batch.h"
#include "lda/training/sparse/parallel/document_part_kernel.h"
#include "lda/training/sparse/parallel/word_loop_kernel.h"

// The draws of one thread on every instruction-set target. On AVX-512 this is used for wide entries only;
// in_lanes/draws_kernel.h draws narrow ones.
//
// Tokens of a word are drawn in batches, in stages that are loops without unpredictable branches: sums of each
// (document, word), targets, searches. Stages hand over tokens in queues, to which they append without a branch. Each
// stage is a function of its own, so that its pointers stay in registers.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

using namespace papilio::lda::sparse;

template <class Entry>
class WordDraws : public WordLoop<WordDraws<Entry>, Entry, most_tokens> {
  using Loop = WordLoop<WordDraws, Entry, most_tokens>;
  friend Loop;
  using Loop::pairs_, Loop::count_, Loop::move, Loop::draw_other;
  using Loop::range_, Loop::tokens_, Loop::scratch_, Loop::statistics_, Loop::word_, Loop::stream_, Loop::pair_,
      Loop::at_;

 public:
  using Loop::Loop;

 private:
  // The tokens of a word in one document.
  struct alignas(64) Pair {
    ListSums sums;
    const Entry* entries;
  };

  // A token of the batch, and its target within a part.
  struct Queued {
    double target;
    std::uint32_t i;
  };

  // Makes a batch of the next pairs, with at most `left` tokens.
  PAPILIO_LANEWISE void take_pairs(std::int64_t left) {
    const int most = left < most_tokens ? static_cast<int>(left) : most_tokens;
    const std::uint8_t* const sizes = tokens_.sizes + pair_;
    const std::uint32_t* const documents = tokens_.documents + pair_;
    const ListPlace* const lists = tokens_.lists;
    const Entry* const entries = tokens_.entries;
    std::int64_t rows = scratch_.running_floats / lanes;  // for which there is room
    std::uint32_t deepest = 0;
    int pairs = 0, count = 0;
    while (count < most) {
      const int size = sizes[pairs];
      const ListPlace list = lists[documents[pairs]];
      const std::uint32_t depth = (list.size + lanes - 1) / lanes;
      rows -= depth + 1;
      if (count + size > most || rows < 0) break;
      pair_of_batch_[pairs].entries = entries + std::size_t{lanes} * list.group;
      pair_of_batch_[pairs].sums.depth = depth;
      deepest = depth > deepest ? depth : deepest;
      __builtin_memset(pair_of_ + count, pairs, most_tokens);
      ++pairs;
      count += size;
    }
    pairs_ = pairs;
    count_ = count;
    steps_ = deepest <= 1 ? 0 : 32 - __builtin_clz(deepest - 1);
  }

  __attribute__((noinline)) void add_lists() {
    const float* const phi = word_.phi();
    float* running = scratch_.running;
    for (Pair *pair = pair_of_batch_, *end = pair + pairs_; pair != end; ++pair) {
      running = add_list(pair->entries, phi, running, pair->sums);
    }
  }

  PAPILIO_LANEWISE void draw_topics() {
    draw_targets();
    search_documents();
    search_others();
  }

  // Finds which part each target is in, and where: first comes the token's own topic, with its weight without the
  // token, then the parts with the other topics.
  __attribute__((noinline)) void draw_targets() {
    const Spot<Entry>* const spots = tokens_.spots + at_;
    const OwnTopic* const own_topics = word_.own();
    const bool removes = range_.removes;
    const auto count = static_cast<std::uint32_t>(count_);
    std::uint32_t in_documents = 0, in_others = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Pair& pair = pair_of_batch_[pair_of_[i]];
      const Spot<Entry> spot = spots[i];
      const OwnTopic& own = own_topics[spot.topic];
      const double tokens = pair.entries[spot.place].count();
      const auto part = pair.sums.part(spot.place);
      const double taken = removes ? part.size : 0.0;
      const double of_own = own_weight(tokens, own.alpha, own.of_word, own.inverse);
      const double until_others = weight_until_others(of_own, pair.sums.total(), taken);
      const double target = stream_.u(at_ + i) * (until_others + own.others);
      const double in_document = target_in_list(target, of_own, part.before, taken);
      const std::uint32_t is_own = target < of_own, is_in_others = !(target < until_others);
      in_documents_[in_documents] = {in_document, i};
      in_documents += 1 ^ (is_own | is_in_others);
      in_others_[in_others] = {target - until_others, i};
      in_others += is_in_others;
    }
    documents_ = in_documents;
    others_ = in_others;
    statistics_.from_own += count - in_documents - in_others;
    statistics_.from_document += in_documents;
  }

  __attribute__((noinline)) void search_documents() const {
    for (std::uint32_t q = 0; q < documents_; ++q) {
      const Queued& token = in_documents_[q];
      const Pair& pair = pair_of_batch_[pair_of_[token.i]];
      const double target = target_below(token.target, pair.sums.prefix_from_0[lanes], range_.removes);
      move(token.i, pair.entries[pair.sums.find(target, steps_)].topic());
    }
  }

  __attribute__((noinline)) void search_others() {
    for (std::uint32_t q = 0; q < others_; ++q) draw_other(in_others_[q].i, in_others_[q].target);
  }

  // For the batch.
  int steps_ = 0;  // halvings that reduce the longest list's depth to 1
  std::uint32_t documents_ = 0;
  std::uint32_t others_ = 0;
  Pair pair_of_batch_[most_tokens];
  std::uint8_t pair_of_[2 * most_tokens];  // the pair of each token
  Queued in_documents_[most_tokens];
  Queued in_others_[most_tokens];
};

template <class Entry>
void draw(const Range<Entry>& range, const Scratch& scratch, Statistics& statistics) {
  WordDraws<Entry>(range, scratch, statistics).draw();
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
