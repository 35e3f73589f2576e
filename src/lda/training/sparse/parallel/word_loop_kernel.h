#pragma once

#include <cstddef>
#include <cstdint>

#include "lda/training/sparse/parallel/batch.h"
#include "lda/training/sparse/parallel/document_part_kernel.h"
#include "lda/training/sparse/parallel/word_part_kernel.h"
#include "lda/training/sparse/place_uniforms_kernel.h"
#include "random/purpose.h"

// The draws of one thread, as they are on every target: word after word, and the tokens of a word in batches.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

using namespace papilio::lda::sparse;

// What tokens need as the loop reaches them: random numbers, and prefetched memory. `most`: the
// largest number of tokens of a batch.
template <class Entry, int most>
class TokenStream {
 public:
  PAPILIO_LANEWISE explicit TokenStream(const Range<Entry>& range)
      : range_(range),
        tokens_(*range.tokens),
        stream_(random::stream(random::Purpose::topics, range.sweep)),
        end_(range.begin / W::width * W::width) {}

  // The uniform number of a token among the last `most` before `end` of the last call of draw_numbers; or, with lanes,
  // of that token and those after it; numbers beyond `end` belong to no token.
  PAPILIO_LANEWISE double u(std::int64_t at) const { return u_[static_cast<std::size_t>(at) % kept]; }
  template <warp::Warp L>
  PAPILIO_LANEWISE warp::Lanes<L, double> u(std::int64_t at) const {
    return L::load(u_ + static_cast<std::size_t>(at) % kept);
  }

  __attribute__((noinline)) void draw_numbers(std::int64_t end) {
    for (; end_ < end; end_ += W::width) {
      const std::size_t place = static_cast<std::size_t>(end_) % kept;
      place_uniforms<W>(range_.seed, stream_, range_.first_token, tokens_.numbers + end_, u_ + place);
      if (place == 0) __builtin_memcpy(u_ + kept, u_, W::width * sizeof *u_);
    }
  }

  // Prefetches the lists of the next pairs, as many as there are pairs here. Always inlined, because GCC drops
  // calls of functions that do nothing else.
  PAPILIO_LANEWISE void ask_ahead(std::int64_t pair, int pairs) const {
    const std::uint32_t* ahead = tokens_.documents + pair + pairs_ahead;
    for (int p = 0; p < pairs; ++p) {
      EightLanes::prefetch(tokens_.lists + ahead[p + pairs_ahead]);
      ask_for(tokens_.lists[ahead[p]]);
    }
  }

 private:
  using W = warp::SimdWarp<warp::register_bytes == 64 ? 32 : 8, warp::register_bytes>;
  static constexpr std::size_t kept = 2 * (most > W::width ? most : W::width);
  static constexpr int pairs_ahead = most < 32 ? most : 32;  // how many pairs ahead lists are prefetched
  static constexpr std::uint32_t most_lines = 32;            // after these, the hardware prefetcher continues

  // Two lines at a time, so that the number of steps varies less.
  PAPILIO_LANEWISE void ask_for(ListPlace list) const {
    constexpr std::uint32_t line = 64 / sizeof(Entry);
    const Entry* entries = tokens_.entries + std::size_t{lanes} * list.group;
    const Entry* end = entries + (list.size < most_lines * line ? list.size : most_lines * line);
    for (; entries < end; entries += 2 * line) {
      EightLanes::prefetch(entries);
      EightLanes::prefetch(entries + line);
    }
  }

  const Range<Entry>& range_;
  const Tokens<Entry>& tokens_;
  const std::uint64_t stream_;
  std::int64_t end_;
  alignas(64) double u_[kept + W::width] = {};  // the first ones are repeated after the last
};

// The loop over the words. Draws inherits this and has the stages of a batch of at most `most` tokens: take_pairs(most
// tokens), which sets pairs_ and count_, add_lists() and draw_topics().
template <class Draws, class Entry, int most>
class WordLoop {
 public:
  PAPILIO_LANEWISE WordLoop(const Range<Entry>& range, const Scratch& scratch, Statistics& statistics)
      : range_(range),
        tokens_(*range.tokens),
        scratch_(scratch),
        statistics_(statistics),
        word_(*range.masses, scratch, range.removes),
        stream_(range),
        pair_(range.first_pair),
        at_(range.begin) {}

  PAPILIO_LANEWISE void draw() {
    for (std::int64_t word = range_.first_word; at_ < range_.end; ++word) {
      const std::int64_t begin = tokens_.word_offsets[word], end = tokens_.word_offsets[word + 1];
      if (end <= at_) continue;
      if (range_.shared_counts != nullptr) {
        word_.open_counted(range_.shared_counts + (word - range_.first_word) * range_.masses->topics);
      } else {
        word_.open(tokens_.spots + begin, end - begin);
      }
      draw_word(end < range_.end ? end : range_.end);
      word_.close();
    }
  }

 protected:
  // Draws token i of the batch, whose target falls into the word part or the prior part.
  PAPILIO_LANEWISE void draw_other(std::uint32_t i, double target) {
    const std::uint32_t old = tokens_.spots[at_ + i].topic;
    const std::uint64_t others = word_.others(old);
    if (others == 0) [[unlikely]] {
      ++statistics_.from_own;
      return;
    }
    const auto found = word_.find(unit_below(target * range_.masses->places, others), old);
    statistics_.from_word += found.of_word;
    statistics_.from_prior += !found.of_word;
    move(i, found.topic);
  }

  PAPILIO_LANEWISE void move(std::uint32_t i, std::uint32_t topic) const {
    tokens_.spots[at_ + i].topic = static_cast<typename Entry::Number>(topic);
  }

  const Range<Entry>& range_;
  const Tokens<Entry>& tokens_;
  const Scratch& scratch_;
  Statistics& statistics_;
  WordPart word_;
  TokenStream<Entry, most> stream_;
  std::int64_t pair_;  // the first pair of the batch
  std::int64_t at_;    // the first token of the batch

  // For the batch.
  int pairs_ = 0;
  int count_ = 0;

 private:
  PAPILIO_LANEWISE void draw_word(std::int64_t end) {
    auto& draws = static_cast<Draws&>(*this);
    while (at_ < end) {
      draws.take_pairs(end - at_);
      draws.add_lists();
      stream_.ask_ahead(pair_, pairs_);
      stream_.draw_numbers(at_ + count_);
      draws.draw_topics();
      at_ += count_;
      pair_ += pairs_;
    }
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
