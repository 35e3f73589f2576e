#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/batch.h"
#include "lda/training/sparse/parallel/in_lanes/document_part_kernel.h"
#include "lda/training/sparse/parallel/word_loop_kernel.h"

// The draws of parallel/draws_kernel.h for registers of 64 bytes. The tokens of a batch are drawn in lanes, in
// stages that hand over tokens in queues.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

using namespace papilio::lda::sparse;

inline constexpr int topics_in_registers = padded_phi;

class WordDrawsInLanes : public WordLoop<WordDrawsInLanes, NarrowEntry, tokens_per_batch> {
  using Entry = NarrowEntry;
  using Loop = WordLoop<WordDrawsInLanes, Entry, tokens_per_batch>;
  friend Loop;
  static_assert(tokens_per_batch % Sixteen::width == 0 && tokens_per_batch <= 64);

 public:
  using Loop::Loop;

 private:
  // Makes a batch of the next pairs, with at most `left` tokens.
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
      if (count + size > most || (pairs / 2 + 1) * std::int64_t{block_size(deeper)} > scratch_.running_floats) break;
      deepest = deeper;
      all_depths += depth;
      lists_[pairs / 2][pairs % 2] = {entries + std::size_t{lanes} * list.group, depth};
      __builtin_memset(pair_of_ + count, pairs, most_tokens);
      ++pairs;
      count += size;
    }
    __builtin_memset(pair_of_ + count, 0, EightLanes::width);  // for lanes without a token
    if (pairs % 2 != 0) lists_[pairs / 2][1] = {entries, 0};
    pairs_ = pairs;
    count_ = count;
    depth_ = deepest;
    are_alike_ = static_cast<std::uint32_t>(pairs) * (deepest - depths_alike) <= all_depths;
  }

  PAPILIO_LANEWISE void add_lists() {
    if (range_.masses->topics <= topics_in_registers) {
      add_lists_with<PhiInRegisters<topics_in_registers>>();
    } else if (gathers_are_slow()) {
      add_lists_with<LoadedPhi>();
    } else {
      add_lists_with<GatheredPhi>();
    }
  }

  // If lists have about the same length, all take as many steps as the longest: a varying number of steps costs more.
  template <class Phi>
  __attribute__((noinline)) void add_lists_with() {
    const Phi phi(word_.phi());
    const std::uint32_t depth = depth_, size = block_size(depth_);
    float *block = scratch_.running, *prefixes = prefixes_;
    const int blocks = (pairs_ + 1) / 2;
    const bool are_alike = are_alike_;
    for (int b = 0; b < blocks; ++b, block += size, prefixes += 2 * prefix_floats) {
      const DeepList(&lists)[2] = lists_[b];
      const std::uint32_t deeper = lists[0].depth > lists[1].depth ? lists[0].depth : lists[1].depth;
      add_two_lists(lists, are_alike ? depth : deeper, depth, phi, block, prefixes);
    }
  }

  PAPILIO_LANEWISE void draw_topics() {
    draw_in_documents();
    draw_others();
  }

  PAPILIO_LANEWISE const Entry& entry_of(std::uint32_t pair, std::uint32_t place) const {
    return lists_[pair / 2][pair % 2].entries[place];
  }

  // Draws the tokens that keep their topic or get one of their document's; queues the others.
  __attribute__((noinline)) void draw_in_documents() {
    for (int token = 0; token < count_; ++token) {
      n_dk_[token] = static_cast<std::int32_t>(entry_of(pair_of_[token], tokens_.spots[at_ + token].place).count());
    }
    std::uint32_t in_documents = 0, others = 0;
    const int count = count_;
    for (int i = 0; i < count; i += EightLanes::width) draw_targets(i, in_documents, others);
    Sixteen::store(token_in_document_ + in_documents, Sixteen::splat<std::int32_t>(0));  // for lanes without a token
    in_documents_ = in_documents;
    others_ = others;
    search_documents();
    for (std::uint32_t q = 0; q < in_documents_; ++q) {
      const auto token = static_cast<std::uint32_t>(token_in_document_[q]);
      move(token % tokens_numbered, entry_of(token / tokens_numbered, static_cast<std::uint32_t>(found_[q])).topic());
    }
    statistics_.from_own += static_cast<std::uint32_t>(count_) - in_documents_ - others_;
    statistics_.from_document += in_documents_;
  }

  // Finds the entry of each token whose target is in the document part. The lane is found token by token, which takes
  // less time than three gathers, each of which waits for the one before.
  PAPILIO_LANEWISE void search_documents() {
    using W = Sixteen;
    const float* const sums = scratch_.running;
    const float* const last = sums + row_of_two * depth_;
    const auto count = static_cast<int>(in_documents_);
    const auto size = static_cast<std::int32_t>(block_size(depth_));
    Sixteen::store(found_ + count, Sixteen::splat<std::int32_t>(0));
    for (int q = 0; q < count; ++q) {
      const float* const prefixes = prefixes_ + (token_in_document_[q] >> bits_of_token) * int{prefix_floats};
      const auto is_above = EightLanes::less(EightLanes::splat(until_[q]), EightLanes::load(prefixes + lanes));
      found_[q] = static_cast<std::int32_t>(__builtin_ctzll(EightLanes::bits(is_above)));
    }
    for (int q = 0; q < count; q += W::width) {
      const auto pair = W::load(token_in_document_ + q) >> std::int32_t{bits_of_token};
      const auto target = EightLanes::load(in_list_ + q), next = EightLanes::load(in_list_ + q + EightLanes::width);
      const auto lane = W::load(found_ + q);
      const auto before = W::gather(prefixes_ + lane_prefixes, pair * std::int32_t{prefix_floats} + lane);
      const auto column = (pair >> std::int32_t{1}) * size + (pair & 1) * std::int32_t{lanes} + lane;
      const auto rest_of = [](warp::Lanes<EightLanes, double> x, EightLanes::Register<float> less) {
        return warp::simd::round_down((x - EightLanes::convert<double>(Floats{{less}})).reg[0]);
      };
      const warp::Lanes<W, float> rest = {{warp::simd::both(rest_of(target, warp::simd::half_of<0>(before.reg[0])),
                                                            rest_of(next, warp::simd::half_of<1>(before.reg[0])))}};
      const auto most = below_each<W>(W::gather(last, column));
      const auto place = find_depths<W>(sums, column, depth_, W::select(W::less(rest, most), rest, most));
      W::store(found_ + q, place + lane);
    }
  }

  // Finds which part each target is in, and where, as in WordDraws, for eight tokens from i on.
  PAPILIO_LANEWISE void draw_targets(int i, std::uint32_t& in_documents, std::uint32_t& others) {
    using W = EightLanes;
    using Ints = warp::Lanes<W, std::int32_t>;
    using Doubles = warp::Lanes<W, double>;
    const auto to_double = [](warp::Lanes<W, float> x) { return W::convert<double>(x); };
    const float* const sums = scratch_.running;
    const bool removes = range_.removes;
    const Doubles none = W::splat<double>(0);
    Ints topic, place;
    load_spots(tokens_.spots + at_ + i, count_ - i, topic, place);
    const auto size = static_cast<std::int32_t>(block_size(depth_));
    const Ints pair = W::generate<std::int32_t>([&](int l) { return pair_of_[i + l]; });
    const Ints prefixes = pair * std::int32_t{prefix_floats};
    const Ints lane = place & std::int32_t{lanes - 1};
    const Ints block = (pair >> std::int32_t{1}) * size + (pair & 1) * std::int32_t{lanes};
    const Ints entry = block + (place + place - lane);
    const Doubles n_dk = W::convert<double>(W::load(n_dk_ + i));

    const auto part =
        entry_part_of<Doubles>(to_double(W::gather(prefixes_ + lane_prefixes, prefixes + lane)),
                               to_double(W::gather(sums, entry)), to_double(W::gather(sums + row_of_two, entry)));
    const Doubles taken = removes ? part.size : none;
    const auto total = W::gather(prefixes_ + list_total, prefixes);

    Doubles own[4];  // of OwnTopic
    load_own(topic, own);
    const Doubles of_own = own_weight_of<Doubles>(n_dk, own[0], own[1], own[2]);
    const Doubles until_others = weight_until_others_of<Doubles>(of_own, to_double(total), taken);
    const Doubles target = stream_.u<W>(at_ + i) * (until_others + own[3]);
    const Doubles in_document = target_in_list_of<W, Doubles>(target, of_own, part.before, taken);
    const Doubles most = to_double(removes ? below_each<W>(total) : total);
    const Doubles in_list = target_below_of<W, Doubles>(in_document, most);
    const std::uint32_t all = count_ - i < W::width ? (1u << (count_ - i)) - 1 : (1u << W::width) - 1;
    const std::uint32_t past = ~W::less_bits(target, of_own) & all;
    const std::uint32_t is_before_others = W::less_bits(target, until_others);

    const std::uint32_t here = past & is_before_others;
    const Ints token = (pair << std::int32_t{bits_of_token}) + (W::lane_id() + i);
    const auto list_targets = warp::simd::compress(here, in_list.reg[0]);
    W::store(in_list_ + in_documents, Doubles{{list_targets}});
    W::store(until_ + in_documents, warp::Lanes<W, float>{{warp::simd::round_down(list_targets)}});
    W::store(token_in_document_ + in_documents, Ints{{warp::simd::compress(here, token.reg[0])}});
    in_documents += static_cast<std::uint32_t>(__builtin_popcount(here));

    const std::uint32_t elsewhere = past & ~is_before_others;
    W::store(in_others_ + others, Doubles{{warp::simd::compress(elsewhere, (target - until_others).reg[0])}});
    W::store(token_in_others_ + others, Ints{{warp::simd::compress(elsewhere, token.reg[0])}});
    others += static_cast<std::uint32_t>(__builtin_popcount(elsewhere));
  }

  // What tokens with these topics take away, loaded row by row, which takes less time than gathers.
  PAPILIO_LANEWISE void load_own(warp::Lanes<EightLanes, std::int32_t> topic,
                                 warp::Lanes<EightLanes, double> (&own)[4]) const {
    static_assert(sizeof(OwnTopic) == 4 * sizeof(double));
    using Row = warp::simd::Vector<double, 4>;
    alignas(32) std::int32_t topics[EightLanes::width];
    EightLanes::store(topics, topic);
    EightLanes::Register<double> rows[4];
    for (int i = 0; i < 4; ++i) {
      const auto row = [&](int l) {
        return warp::simd::load<Row>(reinterpret_cast<const double*>(word_.own() + topics[l]));
      };
      rows[i] = warp::simd::both(row(2 * i), row(2 * i + 1));
    }
    warp::simd::deinterleave(rows);
    for (int i = 0; i < 4; ++i) own[i] = {{rows[i]}};
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
    for (std::uint32_t q = 0; q < others_; ++q) {
      draw_other(static_cast<std::uint32_t>(token_in_others_[q]) % tokens_numbered, in_others_[q]);
    }
  }

  static constexpr int bits_of_token = 6;  // in the batch; the bits above them number the pair
  static constexpr std::uint32_t tokens_numbered = 1u << bits_of_token;
  static constexpr std::uint32_t depths_alike = 2;
  static constexpr int queued = tokens_per_batch + Sixteen::width;  // plus lanes without a token

  // For the batch.
  std::uint32_t depth_ = 0;  // of the longest list
  bool are_alike_ = false;   // whether lists have about the same depth
  DeepList lists_[(tokens_per_batch + 1) / 2][2] = {};
  std::uint8_t pair_of_[tokens_per_batch + most_tokens] = {};  // for each token
  alignas(64) float prefixes_[tokens_per_batch * prefix_floats] = {};
  alignas(64) std::int32_t n_dk_[tokens_per_batch] = {};

  // Tokens whose targets are in the document part, and these targets within the sums of their lists.
  std::uint32_t in_documents_ = 0;
  alignas(64) double in_list_[queued] = {};
  alignas(64) float until_[queued] = {};
  alignas(64) std::int32_t token_in_document_[queued] = {};
  alignas(64) std::int32_t found_[queued] = {};  // the entry that was found

  // Tokens whose targets are in other parts, and these targets.
  std::uint32_t others_ = 0;
  alignas(64) std::int32_t token_in_others_[queued] = {};
  alignas(64) double in_others_[queued] = {};
};

inline void draw_in_lanes(const Range<NarrowEntry>& range, const Scratch& scratch, Statistics& statistics) {
  WordDrawsInLanes(range, scratch, statistics).draw();
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
