#pragma once

#include <cstdint>

#include "random/elementary.h"
#include "random/philox.h"
#include "sampling/tokens/token_weights.h"
#include "warp/portability.h"

// The distribution of a draw among filtered logits, in integers: what CPU, GPU and shards of a vocabulary share.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::KeptSet;
using papilio::sampling::TokenFilter;
using papilio::sampling::TokenNumbers;

// s: weights are in units of 2^-s of the largest one, so that `categories` of them add up to at most 2^62.
PAPILIO_LANEWISE int token_unit_bits(std::int64_t categories) {
  return categories <= 1 ? 62 : __builtin_clzll(static_cast<unsigned long long>(categories - 1)) - 2;
}

// --- The order of categories
// ------------------------------------------------------------------------------------------

// Floats as integers in the same order, for numbers that are not NaN. -0 equals 0 if 0 has been added.
PAPILIO_LANEWISE std::uint32_t token_order(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  return (bits >> 31) != 0 ? ~bits : bits | 0x8000'0000u;
}
PAPILIO_LANEWISE float logit_of_order(std::uint32_t order) {
  return __builtin_bit_cast(float, (order >> 31) != 0 ? order & 0x7FFF'FFFFu : ~order);
}

// The larger key comes first: the larger logit, then the lower category. No two keys are equal.
PAPILIO_LANEWISE std::uint64_t token_key(std::uint32_t order, std::int64_t category) {
  return std::uint64_t{order} << 32 | (0xFFFF'FFFFu - static_cast<std::uint32_t>(category));
}
PAPILIO_LANEWISE std::int64_t category_of_key(std::uint64_t key) {
  return static_cast<std::int64_t>(0xFFFF'FFFFu - static_cast<std::uint32_t>(key));
}

// --- Shares of a total
// ------------------------------------------------------------------------------------------------

struct WideProduct {
  std::uint64_t high, low;
};
PAPILIO_LANEWISE WideProduct token_product(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return {__umul64hi(a, b), a * b};
#else
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#endif
}

// share * total for 0 <= share <= 1 and total <= 2^63, computed exactly and rounded down; `cut` says
// whether rounding has changed it.
PAPILIO_LANEWISE std::uint64_t floor_share(double share, std::uint64_t total, bool& cut) {
  const auto bits = __builtin_bit_cast(std::uint64_t, share);
  const int exponent = static_cast<int>(bits >> 52 & 0x7FFu);
  cut = share > 0;
  if (exponent == 0) return 0;  // 0, or below 2^-1022
  const std::uint64_t digits = (bits & 0x000F'FFFF'FFFF'FFFFu) | 0x0010'0000'0000'0000u;
  const int down = 1075 - exponent;  // share = digits 2^-down, down >= 52
  const WideProduct product = token_product(digits, total);
  if (down >= 128) return 0;
  if (down >= 64) {
    const std::uint64_t mask = down == 64 ? 0 : (std::uint64_t{1} << (down - 64)) - 1;
    cut = product.low != 0 || (product.high & mask) != 0;
    return product.high >> (down - 64);
  }
  cut = (product.low & ((std::uint64_t{1} << down) - 1)) != 0;
  return product.high << (64 - down) | product.low >> down;
}
PAPILIO_LANEWISE std::uint64_t floor_share(double share, std::uint64_t total) {
  bool cut = false;
  return floor_share(share, total, cut);
}

// The sum that top_p requires, at least 1.
PAPILIO_LANEWISE std::uint64_t top_p_sum(float top_p, std::uint64_t total) {
  bool cut = false;
  std::uint64_t sum = floor_share(static_cast<double>(top_p), total, cut);
  sum += cut ? 1 : 0;
  return sum == 0 ? 1 : sum;
}

// The least weight that min_p keeps, at least 1, because a category of weight 0 cannot be drawn.
PAPILIO_LANEWISE std::uint64_t least_weight(float min_p, int unit_bits) {
  return top_p_sum(min_p, std::uint64_t{1} << unit_bits);
}

// --- Filters
// ----------------------------------------------------------------------------------------------------------

PAPILIO_LANEWISE bool valid_filter(const TokenFilter& f) {
  const bool temperature = f.temperature == 0 || (f.temperature >= 0x1p-100f && f.temperature <= 0x1p100f);
  return temperature && f.top_k >= 0 && f.top_p >= 0 && f.top_p <= 1 && f.min_p >= 0 && f.min_p <= 1;
}

PAPILIO_LANEWISE bool keeps(const KeptSet& kept, std::uint64_t key, std::uint64_t weight) {
  return key >= kept.least_key && weight >= kept.least_weight;
}

// --- The draw
// ---------------------------------------------------------------------------------------------------------

PAPILIO_LANEWISE TokenNumbers token_numbers(std::uint64_t seed, std::uint64_t stream, std::uint64_t position) {
  const random::Block block = random::draw_block(seed, stream, position);
  return {std::uint64_t{block.word[1]} << 32 | block.word[0], std::uint64_t{block.word[3]} << 32 | block.word[2]};
}

// floor(u total), u = number 2^-64: from 0 to total - 1.
PAPILIO_LANEWISE std::uint64_t token_target(std::uint64_t number, std::uint64_t total) {
  return token_product(number, total).high;
}

// --- Logarithms
// -------------------------------------------------------------------------------------------------------

// ln(total / 2^s) for total >= 2^s. If r = total / 2^s - 1 is small, by the series of 2 artanh(r / (2 +
// r)), which is as accurate there.
PAPILIO_LANEWISE double log_of_total(std::uint64_t total, int unit_bits) {
  const double unit = __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 - unit_bits) << 52);
  const double r = static_cast<double>(total - (std::uint64_t{1} << unit_bits)) * unit;
  if (r >= 0.3) return random::natural_log(r + 1);
  const double s = r / (2 + r);
  const double square = s * s;
  double series = 0;
  for (int n = 21; n >= 3; n -= 2) series = (series + 1.0 / n) * square;
  return 2 * s + 2 * s * series;
}

// The log probability of a logit; `log_total` is the logarithm of the sum of weights.
PAPILIO_LANEWISE float log_probability(float x, float largest, float temperature, double log_total) {
  const double over = (static_cast<double>(x) - static_cast<double>(largest)) / static_cast<double>(temperature);
  return static_cast<float>((over - log_total) + 0.0);  // never -0, whichever zero the largest is
}

// A part as a share of a total: the kept mass, or a probability.
PAPILIO_LANEWISE float mass_of(std::uint64_t part, std::uint64_t total) {
  return static_cast<float>(static_cast<double>(part) / static_cast<double>(total));
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
