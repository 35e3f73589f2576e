#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/batch.h"
#include "lda/training/sparse/parallel/in_lanes/document_part_kernel.h"
#include "lda/training/sparse/parallel/token_stream_kernel.h"
#include "lda/training/sparse/parallel/word_part_kernel.h"

// The draws of parallel/draws_kernel.h for registers of 64 bytes. Tokens of a batch are drawn in lanes, in stages that
// pass on a number for each token.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

using namespace papilio::lda::sparse;

inline constexpr std::uint32_t rows_per_step = 2;  // of add_list_by_sixteen
inline constexpr int topics_in_registers = padded_phi;

class WordDrawsInLanes {
  using Entry = NarrowEntry;
  // Lanes of a search: a few registers, whose chains of loads go on side by side.
  using Search = warp::SimdWarp<32, warp::register_bytes>;
  static_assert(tokens_per_batch % Search::width == 0 && tokens_per_batch <= 64);

 public:
  PAPILIO_LANEWISE WordDrawsInLanes(const Range<Entry>& range, const Scratch& scratch, Statistics& statistics)
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

 private:
  // Tokens of the word in one document.
  struct Pair {
    const Entry* entries;
    std::uint32_t size;  // of the list
  };

  PAPILIO_LANEWISE void draw_word(std::int64_t end) {
    while (at_ < end) {
      take_pairs(end - at_);
      add_lists();
      stream_.ask_ahead(pair_, pairs_);
      stream_.draw_numbers(at_ + count_);
      draw_in_documents();
      draw_others();
      at_ += count_;
      pair_ += pairs_;
    }
  }

  // Makes a batch of the next pairs, of `left` tokens at most.
  PAPILIO_LANEWISE void take_pairs(std::int64_t left) {
    const int most = left < tokens_per_batch ? static_cast<int>(left) : tokens_per_batch;
    const std::uint8_t* const sizes = tokens_.sizes + pair_;
    const std::uint32_t* const documents = tokens_.documents + pair_;
    const ListPlace* const lists = tokens_.lists;
    const Entry* const entries = tokens_.entries;
    std::uint32_t most_rows = 0, all_rows = 0;
    int pairs = 0, count = 0;
    while (count < most) {
      const int size = sizes[pairs];
      const ListPlace list = lists[documents[pairs]];
      const std::uint32_t rows = rows_of(list.size);
      const std::uint32_t longer = rows > most_rows ? rows : most_rows;
      if (count + size > most || (pairs + 1) * std::int64_t{block_size(longer)} > scratch_.running_floats) break;
      most_rows = longer;
      all_rows += rows;
      pair_of_batch_[pairs] = {entries + std::size_t{lanes} * list.group, list.size};
      __builtin_memset(pair_of_ + count, pairs, most_tokens);
      ++pairs;
      count += size;
    }
    __builtin_memset(pair_of_ + count, 0, EightLanes::width);  // lanes without a token
    pairs_ = pairs;
    count_ = count;
    rows_ = most_rows;
    are_alike_ = static_cast<std::uint32_t>(pairs) * (most_rows - rows_per_step) <= all_rows;
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
    const std::uint32_t rows = rows_, size = block_size(rows_);
    float* block = scratch_.running;
    const Pair* pair = pair_of_batch_;
    const Pair* const end = pair + pairs_;
    if (are_alike_) {
      for (; pair != end; ++pair, block += size) {
        add_list_by_sixteen(pair->entries, pair->size, rows, rows, phi, block);
      }
    } else {
      for (; pair != end; ++pair, block += size) {
        add_list_by_sixteen(pair->entries, pair->size, rows_of(pair->size), rows, phi, block);
      }
    }
  }

  PAPILIO_LANEWISE const Entry& entry_of(int i, std::uint32_t place) const {
    return pair_of_batch_[pair_of_[i]].entries[place];
  }

  // Topics of tokens that their own topic or their documents' topics get; queues the others. What the searches find for
  // these is not used.
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
      Search::store(column_ + i, find_columns<Search>(sums, Search::load(block_ + i), Search::load(sought_ + i)));
    }
    for (i = 0; i < count_; i += W::width) {
      W::store(sought_ + i, sought_in<W>(sums, W::load(column_ + i), rows_, W::load(in_list_ + i)));
    }
    for (i = 0; i < count_; i += Search::width) {
      const auto row = find_rows<Search>(sums, Search::load(column_ + i), rows_, Search::load(sought_ + i));
      Search::store(column_ + i, row - Search::load(block_ + i));
    }
    for (auto left = in_documents_; left != 0; left &= left - 1) {
      i = __builtin_ctzll(left);
      move(i, entry_of(i, static_cast<std::uint32_t>(column_[i])).topic());
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
    const auto size = static_cast<std::int32_t>(block_size(rows_));
    const Ints block = W::generate<std::int32_t>([&](int l) { return size * pair_of_[i + l]; });
    const Doubles n_dk = W::convert<double>(W::load(n_dk_ + i));

    const Ints entry = block + place;
    const auto is_first = W::less(place, W::splat<std::int32_t>(lanes));
    const Doubles above = W::select(is_first, none, to_double(W::gather(sums + lanes, entry)));
    const Doubles taken = removes ? to_double(W::gather(sums + first_row, entry)) - above : none;
    const Doubles before =
        to_double(W::gather(sums + lane_prefixes, block + (place & std::int32_t{lanes - 1}))) + above;
    const auto total = W::gather(sums + list_total, block);

    const Ints of_topic = topic << std::int32_t{2};
    const Doubles of_own = own_weight_of<Doubles>(n_dk, W::gather(own, of_topic), W::gather(own + 1, of_topic),
                                                  W::gather(own + 2, of_topic));
    const Doubles until_others = weight_until_others_of<Doubles>(of_own, to_double(total), taken);
    const Doubles target = stream_.u<W>(at_ + i) * (until_others + W::gather(own + 3, of_topic));
    const Doubles past_own = target - of_own;
    const Doubles in_document = W::select(W::less(past_own, before), past_own, past_own + taken);
    const Doubles most = to_double(removes ? sparse_kernel::below<W>(total) : total);
    const Doubles in_list = W::select(W::less(in_document, most), in_document, most);
    W::store(in_list_ + i, in_list);
    W::store(sought_ + i, sparse_kernel::rounded_down<W>(in_list));
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
    for (std::uint32_t q = 0; q < others_; ++q) {
      const int i = other_tokens_[q];
      move(i, draw_other(in_others_[q], tokens_.spots[at_ + i].topic));
    }
  }

  PAPILIO_LANEWISE std::uint32_t draw_other(double target, std::uint32_t old) {
    const std::uint64_t others = word_.others(old);
    if (others == 0) [[unlikely]] {
      ++statistics_.from_own;
      return old;
    }
    const auto found = word_.find(unit_below(target * range_.masses->places, others), old);
    statistics_.from_word += found.of_word;
    statistics_.from_prior += !found.of_word;
    return found.topic;
  }

  PAPILIO_LANEWISE void move(int i, std::uint32_t topic) const {
    tokens_.spots[at_ + i].topic = static_cast<typename Entry::Number>(topic);
  }

  const Range<Entry>& range_;
  const Tokens<Entry>& tokens_;
  const Scratch& scratch_;
  Statistics& statistics_;
  WordPart word_;
  TokenStream<Entry, tokens_per_batch> stream_;
  std::int64_t pair_;  // the batch begins with
  std::int64_t at_;    // likewise, a token

  // Of the batch.
  int pairs_ = 0;
  int count_ = 0;
  std::uint32_t rows_ = 0;  // of the longest list
  bool are_alike_ = false;  // lists have about as many rows
  std::uint32_t others_ = 0;
  Pair pair_of_batch_[tokens_per_batch];
  std::uint8_t pair_of_[tokens_per_batch + most_tokens] = {};  // of each token

  // Tokens that other parts get, and the targets there.
  std::uint8_t other_tokens_[tokens_per_batch];
  alignas(64) double in_list_[tokens_per_batch] = {};
  alignas(64) double in_others_[tokens_per_batch];

  // Of each token; in_documents_ and in_other_parts_ have a bit for it.
  std::uint64_t in_documents_ = 0;
  std::uint64_t in_other_parts_ = 0;
  alignas(64) std::int32_t n_dk_[tokens_per_batch] = {};
  alignas(64) std::int32_t block_[tokens_per_batch] = {};
  alignas(64) std::int32_t column_[tokens_per_batch] = {};
  alignas(64) float sought_[tokens_per_batch] = {};
};

inline void draw_in_lanes(const Range<NarrowEntry>& range, const Scratch& scratch, Statistics& statistics) {
  WordDrawsInLanes(range, scratch, statistics).draw();
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
