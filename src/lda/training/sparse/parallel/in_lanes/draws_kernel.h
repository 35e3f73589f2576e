#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/batch.h"
#include "lda/training/sparse/parallel/in_lanes/document_part_kernel.h"
#include "lda/training/sparse/parallel/word_loop_kernel.h"

// The draws of parallel/draws_kernel.h for registers of 64 bytes. Tokens of a batch are drawn in lanes, in stages that
// pass on a number for each token.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

using namespace papilio::lda::sparse;

inline constexpr std::uint32_t depths_per_step = 2;  // of add_list_by_sixteen
inline constexpr int topics_in_registers = padded_phi;

class WordDrawsInLanes : public WordLoop<WordDrawsInLanes, NarrowEntry, tokens_per_batch> {
  using Entry = NarrowEntry;
  using Loop = WordLoop<WordDrawsInLanes, Entry, tokens_per_batch>;
  friend Loop;
  // Lanes of a search: a few registers, whose chains of loads go on side by side.
  using Search = warp::SimdWarp<32, warp::register_bytes>;
  static_assert(tokens_per_batch % Search::width == 0 && tokens_per_batch <= 64);

 public:
  using Loop::Loop;

 private:
  // Tokens of the word in one document.
  struct Pair {
    const Entry* entries;
    std::uint32_t size;  // of the list
  };

  // Makes a batch of the next pairs, of `left` tokens at most.
  PAPILIO_LANEWISE void take_pairs(std::int64_t left) {
    const int most = left < tokens_per_batch ? static_cast<int>(left) : tokens_per_batch;
    const std::uint8_t* const sizes = tokens_.sizes + pair_;
    const std::uint32_t* const documents = tokens_.documents + pair_;
    const ListPlace* const lists = tokens_.lists;
    const Entry* const entries = tokens_.entries;
    std::uint32_t deepest = 0, all_depths = 0;
    int pairs = 0, count = 0;
    while (count < most) {
      const int size = sizes[pairs];
      const ListPlace list = lists[documents[pairs]];
      const std::uint32_t depth = depth_of(list.size);
      const std::uint32_t deeper = depth > deepest ? depth : deepest;
      if (count + size > most || (pairs + 1) * std::int64_t{block_size(deeper)} > scratch_.running_floats) break;
      deepest = deeper;
      all_depths += depth;
      pair_of_batch_[pairs] = {entries + std::size_t{lanes} * list.group, list.size};
      __builtin_memset(pair_of_ + count, pairs, most_tokens);
      ++pairs;
      count += size;
    }
    __builtin_memset(pair_of_ + count, 0, EightLanes::width);  // lanes without a token
    pairs_ = pairs;
    count_ = count;
    depth_ = deepest;
    are_alike_ = static_cast<std::uint32_t>(pairs) * (deepest - depths_per_step) <= all_depths;
  }

  PAPILIO_LANEWISE void add_lists() {
    if (range_.masses->topics <= topics_in_registers) {
      add_lists_by_sixteen<topics_in_registers>();
    } else {
      add_lists_by_sixteen<0>();
    }
  }

  // Lists of about the same length all take the steps of the longest: a loop whose number of steps changes costs more.
  template <int topics>
  __attribute__((noinline)) void add_lists_by_sixteen() {
    const PhiOfSixteen<topics> phi(word_.phi());
    const std::uint32_t depth = depth_, size = block_size(depth_);
    float* block = scratch_.running;
    const Pair* pair = pair_of_batch_;
    const Pair* const end = pair + pairs_;
    if (are_alike_) {
      for (; pair != end; ++pair, block += size) {
        add_list_by_sixteen(pair->entries, pair->size, depth, depth, phi, block);
      }
    } else {
      for (; pair != end; ++pair, block += size) {
        add_list_by_sixteen(pair->entries, pair->size, depth_of(pair->size), depth, phi, block);
      }
    }
  }

  PAPILIO_LANEWISE void draw_topics() {
    draw_in_documents();
    draw_others();
  }

  PAPILIO_LANEWISE const Entry& entry_of(int i, std::uint32_t place) const {
    return pair_of_batch_[pair_of_[i]].entries[place];
  }

  // Draws the tokens that keep their topic or get one of their document's; queues the others, for which the searches'
  // results are not used.
  __attribute__((noinline)) void draw_in_documents() {
    using W = EightLanes;
    const float* const sums = scratch_.running;
    for (int token = 0; token < count_; ++token) {
      n_dk_[token] = static_cast<std::int32_t>(entry_of(token, tokens_.spots[at_ + token].place).count());
    }
    in_documents_ = in_other_parts_ = 0;
    int i = 0;
    for (; i < count_; i += W::width) draw_targets(i);
    for (; i % Search::width != 0; i += W::width) W::store(block_ + i, W::splat<std::int32_t>(0));
    for (i = 0; i < count_; i += Search::width) {
      Search::store(found_ + i, find_lanes<Search>(sums, Search::load(block_ + i), Search::load(sought_ + i)));
    }
    for (i = 0; i < count_; i += W::width) {
      W::store(sought_ + i, sought_in<W>(sums, W::load(found_ + i), depth_, W::load(in_list_ + i)));
    }
    for (i = 0; i < count_; i += Search::width) {
      const auto entry = find_depths<Search>(sums, Search::load(found_ + i), depth_, Search::load(sought_ + i));
      Search::store(found_ + i, entry - Search::load(block_ + i));
    }
    for (auto left = in_documents_; left != 0; left &= left - 1) {
      i = __builtin_ctzll(left);
      move(static_cast<std::uint32_t>(i), entry_of(i, static_cast<std::uint32_t>(found_[i])).topic());
    }
    const auto in_documents = static_cast<std::uint32_t>(__builtin_popcountll(in_documents_));
    others_ = 0;
    for (auto left = in_other_parts_; left != 0; left &= left - 1) {
      i = __builtin_ctzll(left);
      in_others_[others_] = in_others_[i];  // no later one than i
      other_tokens_[others_++] = static_cast<std::uint8_t>(i);
    }
    statistics_.from_own += static_cast<std::uint32_t>(count_) - in_documents - others_;
    statistics_.from_document += in_documents;
  }

  // Which part each target is in, and where: as in WordDraws, for eight tokens from i on.
  PAPILIO_LANEWISE void draw_targets(int i) {
    using W = EightLanes;
    using Ints = warp::Lanes<W, std::int32_t>;
    using Doubles = warp::Lanes<W, double>;
    const auto to_double = [](warp::Lanes<W, float> x) { return W::convert<double>(x); };
    const float* const sums = scratch_.running;
    static_assert(sizeof(OwnTopic) == 4 * sizeof(double));
    const double* const own = &word_.own()->alpha;
    const bool removes = range_.removes;
    const Doubles none = W::splat<double>(0);
    Ints topic, place;
    load_spots(tokens_.spots + at_ + i, count_ - i, topic, place);
    const auto size = static_cast<std::int32_t>(block_size(depth_));
    const Ints block = W::generate<std::int32_t>([&](int l) { return size * pair_of_[i + l]; });
    const Doubles n_dk = W::convert<double>(W::load(n_dk_ + i));

    const Ints entry = block + place;
    const auto is_first = W::less(place, W::splat<std::int32_t>(lanes));
    const Doubles above = W::select(is_first, none, to_double(W::gather(sums + lanes, entry)));
    const auto part =
        entry_part_of<Doubles>(to_double(W::gather(sums + lane_prefixes, block + (place & std::int32_t{lanes - 1}))),
                               above, to_double(W::gather(sums + first_depth, entry)));
    const Doubles taken = removes ? part.size : none;
    const auto total = W::gather(sums + list_total, block);

    const Ints of_topic = topic << std::int32_t{2};
    const Doubles of_own = own_weight_of<Doubles>(n_dk, W::gather(own, of_topic), W::gather(own + 1, of_topic),
                                                  W::gather(own + 2, of_topic));
    const Doubles until_others = weight_until_others_of<Doubles>(of_own, to_double(total), taken);
    const Doubles target = stream_.u<W>(at_ + i) * (until_others + W::gather(own + 3, of_topic));
    const Doubles in_document = target_in_list_of<W, Doubles>(target, of_own, part.before, taken);
    const Doubles most = to_double(removes ? below_each<W>(total) : total);
    const Doubles in_list = target_below_of<W, Doubles>(in_document, most);
    W::store(in_list_ + i, in_list);
    W::store(sought_ + i, rounded_down_each<W>(in_list));
    W::store(block_ + i, block);
    W::store(in_others_ + i, target - until_others);
    const std::uint64_t all =
        count_ - i < W::width ? (std::uint64_t{1} << (count_ - i)) - 1 : (std::uint64_t{1} << W::width) - 1;
    const std::uint64_t past = ~W::bits(W::less(target, of_own)) & all;
    const std::uint64_t is_before_others = W::bits(W::less(target, until_others));
    in_documents_ |= (past & is_before_others) << i;
    in_other_parts_ |= (past & ~is_before_others) << i;
  }

  PAPILIO_LANEWISE static void load_spots(const Spot<Entry>* spots, int count,
                                          warp::Lanes<EightLanes, std::int32_t>& topic,
                                          warp::Lanes<EightLanes, std::int32_t>& place) {
    using W = EightLanes;
    const auto both = W::load(reinterpret_cast<const std::uint32_t*>(spots), count);
    topic = W::bit_cast<std::int32_t>(both & 0xffffu);
    place = W::bit_cast<std::int32_t>(both >> 16u);
  }

  __attribute__((noinline)) void draw_others() {
    for (std::uint32_t q = 0; q < others_; ++q) draw_other(other_tokens_[q], in_others_[q]);
  }

  // Of the batch.
  std::uint32_t depth_ = 0;  // of the longest list
  bool are_alike_ = false;   // lists have about the same depth
  std::uint32_t others_ = 0;
  Pair pair_of_batch_[tokens_per_batch];
  std::uint8_t pair_of_[tokens_per_batch + most_tokens] = {};  // of each token

  // Tokens that other parts get, and the targets there.
  std::uint8_t other_tokens_[tokens_per_batch];
  alignas(64) double in_others_[tokens_per_batch];

  // Of each token; in_documents_ and in_other_parts_ have a bit for it, in_list_ its target in the sums of its list.
  std::uint64_t in_documents_ = 0;
  std::uint64_t in_other_parts_ = 0;
  alignas(64) double in_list_[tokens_per_batch] = {};
  alignas(64) std::int32_t n_dk_[tokens_per_batch] = {};
  alignas(64) std::int32_t block_[tokens_per_batch] = {};
  alignas(64) std::int32_t found_[tokens_per_batch] = {};  // its lane, then its entry
  alignas(64) float sought_[tokens_per_batch] = {};
};

inline void draw_in_lanes(const Range<NarrowEntry>& range, const Scratch& scratch, Statistics& statistics) {
  WordDrawsInLanes(range, scratch, statistics).draw();
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
