#pragma once

#include <cstdint>
#include <type_traits>

#include "sampling/without_replacement/race_keys.h"
#include "warp/warp.h"

// A race on one CPU thread: the body that every instruction-set target compiles.
//
// With t the time of a key, a category of weight w can arrive by t only if V <= t w, since E = -ln(1 - V) >= V. The
// leading 24 bits of V decide this for nearly all categories, and one block holds those of four. The few that remain
// are gathered until they fill the lanes, get their other bits and a logarithm, and are judged by their own key.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::race_tile;
using papilio::sampling::RaceItem;
using papilio::sampling::RacePiece;

// Categories that may arrive in time.
template <warp::Warp W, bool logits>
class PendingRacers {
 public:
  PAPILIO_LANEWISE int count() const { return count_; }
  PAPILIO_LANEWISE bool fill_all_lanes() const { return count_ >= W::width; }

  // Adds the categories of the lanes whose bits are set; lane 0 is `category`.
  template <class T>
  PAPILIO_LANEWISE void add(std::uint64_t lanes, std::int64_t category, warp::Lanes<W, std::uint32_t> words,
                            const T* weights) {
    if (lanes == 0) return;
    std::uint32_t high[W::width];
    W::store(high, words);
    for (; lanes != 0; lanes &= lanes - 1) {
      const int l = __builtin_ctzll(lanes);
      category_[count_] = category + l;
      high_[count_] = high[l];
      weight_[count_] = weights[l];
      ++count_;
    }
  }

  // Computes the keys of up to W of them. Those that are in time get a place among the items.
  template <class T>
  PAPILIO_LANEWISE void decide(RacePiece<T>& piece) {
    const int used = count_ < W::width ? count_ : W::width;
    count_ -= used;
    std::uint32_t group[W::width] = {}, counter[W::width] = {}, low[W::width] = {}, words[4][W::width];
    for (int l = 0; l < used; ++l) {
      const std::uint64_t g = race_group(category_[count_ + l]);
      group[l] = static_cast<std::uint32_t>(g);
      counter[l] = race_counter(piece.numbers, g, RacePart::low);
    }
    const auto block = race_block<W>(piece.numbers, W::load(group), W::load(counter));
    for (int i = 0; i < 4; ++i) W::store(words[i], block.word[i]);
    for (int l = 0; l < used; ++l) low[l] = words[race_word(category_[count_ + l])][l];
    const auto exponential = exponential_of<W>(W::load(high_ + count_), W::load(low));
    const auto weight = W::load(weight_ + count_);
    std::uint64_t key[W::width];
    if constexpr (logits)
      W::store(key, key_of_logit<W>(exponential, weight * piece.scale));
    else
      W::store(key, key_of_weight<W>(exponential, weight));
    for (int l = 0; l < used; ++l) {
      piece.items[piece.filled] = {key[l], category_[count_ + l]};
      piece.filled += key[l] <= piece.latest;
    }
  }

 private:
  // W groups add their four categories while fewer than W entries wait; W entries may be read from any place.
  static constexpr int room = 6 * W::width;
  int count_ = 0;
  std::int64_t category_[room] = {};
  std::uint32_t high_[room] = {};
  double weight_[room] = {};
};

template <warp::Warp W>
struct RaceLanes {
  std::uint64_t in_time, faulty;  // a bit for each lane
};

// Which weights w have V <= t w, where t is the time of a key. The words are the leading 32 bits of V.
//
// With t = m 2^s the test is v <= ((w 2^a) 2^b m), where a + b = s + 24 and v is the leading 24
// bits as an integer. Neither factor is beyond the range of T, so a product that overflows or
// underflows ends on the right side of v. A factor a little above 1 covers all the rounding.
template <warp::Warp W, class T>
class WeightsInTime {
 public:
  PAPILIO_LANEWISE WeightsInTime(std::uint64_t latest, double) {
    constexpr int most = sizeof(T) == 4 ? 200 : 1200;     // 2^s times the least weight is above 2^24, or
    constexpr int least = sizeof(T) == 4 ? -240 : -1200;  // times the greatest below 1
    if (latest == papilio::sampling::no_key) {
      factor_[0] = factor_[1] = static_cast<T>(__builtin_inf());
      return;
    }
    int s = static_cast<int>(latest >> 52) - 1151 + 24;
    s = s > most ? most : s < least ? least : s;
    const double m = __builtin_bit_cast(double, (latest & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1023} << 52);
    factor_[0] = static_cast<T>(power_of_two(s / 2));
    factor_[1] = static_cast<T>(power_of_two(s - s / 2) * m * (1 + 0x1p-20));
  }

  PAPILIO_LANEWISE RaceLanes<W> operator()(warp::Lanes<W, std::uint32_t> words, warp::Lanes<W, T> w) const {
    const auto v = W::template convert<T>(W::template bit_cast<std::int32_t>(words >> 8u));
    const auto zero = W::template splat<T>(0);
    const auto late = W::less((w * factor_[0]) * factor_[1], v);
    const auto fault = W::less(w, zero) | !W::less(w, W::template splat<T>(static_cast<T>(__builtin_inf())));
    return {W::bits(W::less(zero, w) & !late), W::bits(fault)};
  }

 private:
  PAPILIO_LANEWISE static double power_of_two(int exponent) {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
  T factor_[2];
};

// The same for logits: V <= exp(y + t), where t is the logarithm of the time.
// 2^x <= (1 + x - floor(x)) 2^floor(x), which is the float whose bits are (x + 127) 2^23.
template <warp::Warp W, class T>
class LogitsInTime {
 public:
  PAPILIO_LANEWISE LogitsInTime(std::uint64_t latest, double scale) : latest_(logit_of_key(latest)), scale_(scale) {}

  PAPILIO_LANEWISE RaceLanes<W> operator()(warp::Lanes<W, std::uint32_t> words, warp::Lanes<W, T> logits) const {
    const auto splat = [](double x) { return W::template splat<double>(x); };
    const auto v = W::template convert<float>(W::template bit_cast<std::int32_t>(words >> 8u));
    const auto sum = W::template convert<double>(logits) * scale_ + latest_;
    auto x = sum * 0x1.71547652b82fep0 + (24 + 0x1p-8);  // log2(e)
    x = W::select(W::less(x, splat(60)), x, splat(60));  // NaN becomes 60 too
    x = W::select(W::less(x, splat(-2)), splat(-2), x);
    const auto bits = W::template convert<std::int32_t>((W::template convert<float>(x) + 127.0f) * 0x1p23f);
    const auto late = W::less(W::template bit_cast<float>(bits), v);
    const auto infinite = W::template splat<T>(static_cast<T>(__builtin_inf()));
    return {W::bits(W::less(W::template splat<T>(0) - infinite, logits) & !late), W::bits(!W::less(logits, infinite))};
  }

 private:
  double latest_, scale_;
};

template <warp::Warp W, class T>
PAPILIO_LANEWISE warp::Lanes<W, T> load_weights(const T* p, std::int64_t count) {
  return count >= W::width ? W::load(p) : W::load(p, count);
}

// Reads weights until all are read, or until there may be no room for the items of another tile.
template <warp::Warp W, class T, bool logits>
void race(RacePiece<T>& piece) {
  using InTime = std::conditional_t<logits, LogitsInTime<W, T>, WeightsInTime<W, T>>;
  const InTime in_time(piece.latest, piece.scale);
  PendingRacers<W, logits> pending;
  std::uint64_t faulty = 0;
  for (; piece.at < piece.count && piece.filled + pending.count() + race_tile <= piece.room; piece.at += race_tile) {
    const std::uint64_t group = race_group(piece.first + piece.at);
    const auto counter = W::template splat<std::uint32_t>(race_counter(piece.numbers, group, RacePart::high));
    for (int l = 0; l < 32 && piece.at + l < piece.count; l += W::width) {
      const auto groups = W::template bit_cast<std::uint32_t>(W::lane_id()) +
                          (static_cast<std::uint32_t>(group) + static_cast<unsigned>(l));
      const auto block = race_block<W>(piece.numbers, groups, counter);
      for (int i = 0; i < 4; ++i) {
        const std::int64_t at = piece.at + l + 32 * i, left = piece.count - at;
        if (left <= 0) break;
        const RaceLanes<W> lanes = in_time(block.word[i], load_weights<W>(piece.weights + at, left));
        const std::uint64_t there =
            left >= W::width ? ~std::uint64_t{0} >> (64 - W::width) : (std::uint64_t{1} << left) - 1;
        faulty |= lanes.faulty & there;
        pending.add(lanes.in_time & ~lanes.faulty & there, piece.first + at, block.word[i], piece.weights + at);
      }
      while (pending.fill_all_lanes()) pending.decide(piece);
    }
  }
  while (pending.count() > 0) pending.decide(piece);
  if (piece.at > piece.count) piece.at = piece.count;
  piece.fault = piece.fault || faulty != 0;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
