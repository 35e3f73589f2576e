#pragma once

#include <cstdint>

#include "random/elementary.h"
#include "random/philox.h"
#include "sampling/without_replacement/race_piece.h"
#include "warp/warp.h"

// Arrival times of categories, E / w, as whole numbers in the same order; E is exponential, from 64 random bits. Only
// additions, multiplications and divisions of IEEE doubles are used, so keys are the same in every lane of every warp.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::RaceNumbers;

PAPILIO_LANEWISE RaceNumbers race_numbers(std::uint64_t seed, std::uint64_t stream, std::uint64_t row) {
  const random::Block block = random::draw_block(seed, stream, row);
  return {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
          {block.word[0], block.word[2], block.word[3]}};
}

// Which 32 of a category's 64 random bits a block holds.
enum class RacePart : std::uint32_t { high = 0, low = 1 };

// Categories 128 t + l + 32 i (i < 4, l < 32) form group 32 t + l: word i of the group's blocks is for its category i.
PAPILIO_LANEWISE std::uint64_t race_group(std::int64_t category) {
  const auto c = static_cast<std::uint64_t>(category);
  return c / 128 * 32 + c % 32;
}
PAPILIO_LANEWISE int race_word(std::int64_t category) { return static_cast<int>(category / 32 % 4); }

// The second word of a block's counter.
PAPILIO_LANEWISE std::uint32_t race_counter(const RaceNumbers& numbers, std::uint64_t group, RacePart part) {
  return numbers.row[0] + (static_cast<std::uint32_t>(group >> 32) << 1 | static_cast<std::uint32_t>(part));
}

template <warp::Warp W>
PAPILIO_LANEWISE random::BlockOf<warp::Lanes<W, std::uint32_t>> race_block(const RaceNumbers& numbers,
                                                                           warp::Lanes<W, std::uint32_t> group,
                                                                           warp::Lanes<W, std::uint32_t> counter) {
  const auto splat = [](std::uint32_t x) { return W::template splat<std::uint32_t>(x); };
  return random::philox4x32(
      random::BlockOf<warp::Lanes<W, std::uint32_t>>{{group, counter, splat(numbers.row[1]), splat(numbers.row[2])}},
      numbers.key[0], numbers.key[1]);
}

// Warps have no division of lanes. A scalar one does as well, because all machines round it in the same way.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, double> divide(warp::Lanes<W, double> a, warp::Lanes<W, double> b) {
  double x[W::width], y[W::width];
  W::store(x, a), W::store(y, b);
  for (int l = 0; l < W::width; ++l) x[l] = x[l] / y[l];
  return W::load(x);
}

// A normal number x > 0 as m 2^e, m in (sqrt(1/2), sqrt(2)].
template <warp::Warp W>
struct Reduced {
  warp::Lanes<W, double> m, e;
};
template <warp::Warp W>
PAPILIO_LANEWISE Reduced<W> reduced(warp::Lanes<W, double> x) {
  const auto bits = W::template bit_cast<std::uint64_t>(x);
  const auto m = W::template bit_cast<double>((bits & 0x000F'FFFF'FFFF'FFFFu) | 0x3FF0'0000'0000'0000u);
  // The exponent's bits become the last ones of 2^52 + exponent: exact.
  const auto e = W::template bit_cast<double>((bits >> 52u) | 0x4330'0000'0000'0000u) - (0x1p52 + 1023);
  const auto large = W::less(W::template splat<double>(0x1.6a09e667f3bcdp0), m);
  return {W::select(large, m * 0.5, m), W::select(large, e + 1.0, e)};
}

// e ln 2 + 2 artanh(n / d), |n / d| < 0.172, as in random/elementary.h.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, double> log_of_ratio(warp::Lanes<W, double> e, warp::Lanes<W, double> n,
                                                     warp::Lanes<W, double> d) {
  const auto s = divide<W>(n, d);
  const auto square = s * s;
  auto series = W::template splat<double>(0);
  PAPILIO_UNROLL
  for (int i = 21; i >= 3; i -= 2) series = (series + 1.0 / i) * square;
  const auto twice = s + s;
  return e * random::ln2_high + (twice + (twice * series + e * random::ln2_low));
}

template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, double> log_of(warp::Lanes<W, double> x) {
  const auto [m, e] = reduced<W>(x);
  return log_of_ratio<W>(e, m - 1.0, m + 1.0);
}

// -ln(1 - V), where V = (n + 1/2) 2^-64 for the 64 bits n: from 2^-65 to 45.06, within 4 units in the last place.
// Small results, which decide, come from V itself and large ones from 1 - V, so that neither end is coarse.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, double> exponential_of(warp::Lanes<W, std::uint32_t> high,
                                                       warp::Lanes<W, std::uint32_t> low) {
  const auto fraction = [](warp::Lanes<W, std::uint32_t> h, warp::Lanes<W, std::uint32_t> l) {
    return (W::template convert<double>(h) * 0x1p32 + (W::template convert<double>(l) + 0.5)) * 0x1p-64;
  };
  const auto v = fraction(high, low), rest = fraction(high ^ 0xFFFF'FFFFu, low ^ 0xFFFF'FFFFu);
  const auto small = W::less(v, W::template splat<double>(0.25));
  const auto [m, e] = reduced<W>(rest);
  const auto zero = W::template splat<double>(0), one = W::template splat<double>(1);
  return log_of_ratio<W>(W::select(small, zero, zero - e), W::select(small, v, one - m),
                         W::select(small, W::template splat<double>(2) - v, one + m));
}

// The key of the arrival E / w, w > 0. With w = m 2^e, m in [1, 2), it is the bits of E / m, with e subtracted
// from the exponent. Exponents from -66 to 2103 become whole numbers of 12 bits by adding 128, in the
// place of a double's sign and exponent: no quotient overflows, and none loses bits by being subnormal.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, std::uint64_t> key_of_weight(warp::Lanes<W, double> exponential,
                                                             warp::Lanes<W, double> weight) {
  constexpr std::uint64_t one = std::uint64_t{1} << 52;
  const auto splat = [](std::uint64_t x) { return W::template splat<std::uint64_t>(x); };
  const auto subnormal = W::less(weight, W::template splat<double>(0x1p-1022));
  const auto bits = W::template bit_cast<std::uint64_t>(W::select(subnormal, weight * 0x1p64, weight));
  const auto m = W::template bit_cast<double>((bits & (one - 1)) | (1023 * one));
  const auto added = W::select(subnormal, splat((1151 + 64) * one), splat(1151 * one));
  return (W::template bit_cast<std::uint64_t>(divide<W>(exponential, m)) + added) - (bits & (2047 * one));
}

// The key of ln E - y, y a logit divided by the temperature: the double's bits, changed to have its order.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, std::uint64_t> key_of_logit(warp::Lanes<W, double> exponential,
                                                            warp::Lanes<W, double> y) {
  const auto bits = W::template bit_cast<std::uint64_t>(log_of<W>(exponential) - y);
  const auto minus = (W::template splat<std::uint64_t>(0) - (bits >> 63u)) | (std::uint64_t{1} << 63);
  return bits ^ minus;
}

// From such a key back to ln E - y. `no_key` gives NaN.
PAPILIO_LANEWISE double logit_of_key(std::uint64_t key) {
  const std::uint64_t bits = (key >> 63) != 0 ? key ^ (std::uint64_t{1} << 63) : ~key;
  return __builtin_bit_cast(double, bits);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
