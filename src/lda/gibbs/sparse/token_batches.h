#pragma once

#include <cstdint>

#include "lda/gibbs/sparse/batch.h"
#include "lda/gibbs/sparse/lane_sums.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform_lanes.h"

// Tokens in the order of words, a batch at a time: their random numbers and lists, asked for ahead.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

using namespace papilio::lda::sparse;

inline constexpr int most_tokens = 16;  // of a batch

template <class Entry>
class TokenBatches {
 public:
  PAPILIO_LANEWISE explicit TokenBatches(const Range<Entry>& range)
      : range_(range), tokens_(*range.tokens), stream_(random::stream(random::Purpose::topics, range.sweep)) {
    prefetch_places(range_.begin);
    prefetch_places(range_.begin + most_tokens);
    prepare(range_.begin);
  }

  // The batch of order[at]: tokens order[begin], ..., and their numbers below 1. Batches are asked for one after the
  // other.
  struct Batch {
    std::int64_t begin;
    const double* u;
  };
  PAPILIO_LANEWISE Batch at(std::int64_t at) {
    const std::int64_t number = (at - range_.begin) / most_tokens;
    const std::int64_t begin = range_.begin + number * most_tokens;
    if (at == begin) {
      prepare(begin + most_tokens);
      prefetch_places(begin + 2 * most_tokens);
    }
    return {begin, u_[number & 1]};
  }

 private:
  using W = SumWarp;
  static constexpr std::uint32_t most_lines = 32;  // the machine's own prefetcher goes on from there

  PAPILIO_LANEWISE std::int64_t end_of(std::int64_t first) const {
    return first + most_tokens < range_.end ? first + most_tokens : range_.end;
  }

  PAPILIO_LANEWISE void prefetch_places(std::int64_t first) const {
    for (std::int64_t i = first, end = end_of(first); i < end; ++i) {
      W::prefetch(tokens_.lists + tokens_.order[i].document);
      W::prefetch(tokens_.spots + tokens_.order[i].number);
    }
  }

  PAPILIO_LANEWISE void prepare(std::int64_t first) {
    if (first >= range_.end) return;
    const auto count = static_cast<int>(end_of(first) - first);
    const Token* order = tokens_.order + first;
    std::uint32_t numbers[most_tokens] = {}, documents[most_tokens];
    int different = 0;
    for (int i = 0; i < count; ++i) {
      numbers[i] = order[i].number;
      documents[different] = order[i].document;
      different += i + 1 == count || order[i + 1].document != order[i].document;
    }
    for (int i = 0; i < different; ++i) prefetch(tokens_.lists[documents[i]]);
    double* u = u_[((first - range_.begin) / most_tokens) & 1];
    for (int i = 0; i < count; i += W::width) {
      const auto block =
          random::draw_blocks<W>(range_.seed, stream_, W::load(numbers + i), W::template splat<std::uint32_t>(0));
      W::store(u + i, random::uniform53<W>(block.word[0], block.word[1]));
    }
  }

  // Four lines at a time, so that the number of steps is nearly always the same.
  PAPILIO_LANEWISE void prefetch(ListPlace list) const {
    constexpr std::uint32_t line = 64 / sizeof(Entry);
    const Entry* entries = tokens_.entries + std::size_t{lanes} * list.group;
    const std::uint32_t last = (list.size < most_lines * line ? list.size : most_lines * line) - 1;
    for (std::uint32_t i = 0; i <= last; i += 4 * line) {
      for (std::uint32_t at = i; at < i + 4 * line; at += line) W::prefetch(entries + (at < last ? at : last));
    }
  }

  const Range<Entry>& range_;
  const Tokens<Entry>& tokens_;
  const std::uint64_t stream_;
  double u_[2][most_tokens];
};

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
