#pragma once

#include <cstdint>
#include <cstring>

#include "primitives/exact_sum.h"
#include "primitives/kernels.h"

// Exact sums at the speed of plain ones, if values are of similar size.
//
// All values of a block are cut at one bit position. With the unit U, a power of two, and sigma = 1.5 * 2^52 * U, the
// number high = (v + sigma) - sigma is v rounded to a multiple of U, and low = v - high is exact. If U is so large
// that sums of the high parts stay below 2^53 U, these sums are exact doubles, in any order. So are the sums of the
// low parts, in a unit 2^43 times smaller, if all low parts are multiples of it, which the same trick tells. A block
// is then the sum of two doubles, rounded once by adding them. All other blocks go through LongSum, value by value.
// Source: Rump, Ogita and Oishi, SIAM Journal on Scientific Computing 31(1), 2008 (ExtractVector).

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

using primitives::block_size;
using primitives::FloatFormat;
using primitives::LongSum;
using primitives::ScanBlock;
using primitives::Segments;

inline constexpr int lanes = 8;
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));
using Masks = std::int64_t __attribute__((vector_size(lanes * sizeof(double))));

using FloatLanes = float __attribute__((vector_size(lanes * sizeof(float))));

// Passed by reference: the ABI for a vector passed by value depends on the instruction set.
PAPILIO_LANEWISE void load(const double* values, Lanes& loaded) { std::memcpy(&loaded, values, sizeof loaded); }
PAPILIO_LANEWISE void load(const float* values, Lanes& loaded) {
  FloatLanes floats;
  std::memcpy(&floats, values, sizeof floats);
  loaded = __builtin_convertvector(floats, Lanes);
}

// The largest magnitude; if a value is NaN, any number.
template <class T>
PAPILIO_LANEWISE double largest_of(const T* values, int count) {
  constexpr std::int64_t all_but_sign = 0x7fffffffffffffff;
  Lanes most = {};
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    Lanes x;
    load(values + i, x);
    x = reinterpret_cast<Lanes>(reinterpret_cast<Masks>(x) & all_but_sign);
    most = x > most ? x : most;
  }
  double largest = 0;
  for (int lane = 0; lane < lanes; ++lane) largest = most[lane] > largest ? most[lane] : largest;
  for (; i < count; ++i) {
    const double x = __builtin_fabs(static_cast<double>(values[i]));
    largest = x > largest ? x : largest;
  }
  return largest;
}

// 2^exponent for a normal number.
PAPILIO_LANEWISE double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// The same, down to 2^-1074.
PAPILIO_LANEWISE double power_of_two_or_subnormal(int exponent) {
  return exponent >= -1022 ? power_of_two(exponent) : std::bit_cast<double>(std::uint64_t{1} << (exponent + 1074));
}

// The least e with magnitude < 2^e; magnitude >= 0 and finite.
PAPILIO_LANEWISE int exponent_above(double magnitude) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1022;
}

// Where a block is cut.
struct Cut {
  int top = 0;           // sums are below 2^top
  double sigma = 0;      // for the high parts
  double sigma_low = 0;  // for the low parts
  int unit = 0;          // log2 of the high parts' unit
  int unit_low = 0;      // of the low parts'
  bool possible = false;

  static constexpr int block_bits = 10;
  static_assert(block_size == 1 << block_bits);

  // The cut for a block of values below 2^largest after a sum below 2^carried.
  PAPILIO_LANEWISE static Cut at(int largest, int carried) {
    constexpr int least = FloatFormat<double>::least;
    int top = largest + block_bits > carried ? largest + block_bits : carried;
    top += 1;
    if (top > 1023) return {};
    Cut cut;
    cut.possible = true;
    cut.top = top;
    cut.unit = top - 53 > least ? top - 53 : least;
    cut.unit_low = cut.unit - 43 > least ? cut.unit - 43 : least;
    cut.sigma = 1.5 * power_of_two(cut.unit + 52);
    cut.sigma_low = 1.5 * power_of_two(cut.unit_low + 52);
    return cut;
  }
};

// A sum of at most block_size values in two doubles, which are exact unless `lost`.
struct Pair {
  double high = 0;
  double low = 0;
  bool lost = false;
};

// Cuts a value and adds its parts.
PAPILIO_LANEWISE void add_parts(double value, const Cut& cut, Pair& sum) {
  const double high = (value + cut.sigma) - cut.sigma;
  const double low = value - high;
  sum.lost |= (low + cut.sigma_low) - cut.sigma_low != low;
  sum.high += high;
  sum.low += low;
}

template <class T>
PAPILIO_LANEWISE Pair sum_of_block(const T* values, int count, const Cut& cut) {
  Pair sum;
  int i = 0;
  if (count >= lanes) {
    Lanes high_sum = {}, low_sum = {};
    Masks lost = {};
    for (; i + lanes <= count; i += lanes) {
      Lanes value;
      load(values + i, value);
      const Lanes high = (value + cut.sigma) - cut.sigma;
      const Lanes low = value - high;
      lost |= (low + cut.sigma_low) - cut.sigma_low != low;
      high_sum += high;
      low_sum += low;
    }
    for (int lane = 0; lane < lanes; ++lane) {
      sum.high += high_sum[lane];
      sum.low += low_sum[lane];
      sum.lost |= lost[lane] != 0;
    }
  }
  for (; i < count; ++i) add_parts(static_cast<double>(values[i]), cut, sum);
  return sum;
}

// high + low, rounded once.
template <class T>
PAPILIO_LANEWISE T rounded_pair(double high, double low) {
  const double sum = high + low;
  if constexpr (sizeof(T) == sizeof(double)) {
    return sum;
  } else {
    // Rounded to odd, so that rounding to float is the only one (Boldo and Melquiond, IEEE Transactions on Computers
    // 57(4), 2008).
    const double of_low = sum - high;
    const double error = (high - (sum - of_low)) + (low - of_low);
    auto bits = std::bit_cast<std::int64_t>(sum);
    const bool away = (error > 0) == (sum > 0);
    bits += error != 0 && (bits & 1) == 0 ? (away ? 1 : -1) : 0;
    return static_cast<float>(std::bit_cast<double>(bits));
  }
}

// Not inlined, once per target: what is rare need not be in every loop.
template <class T>
__attribute__((noinline)) void add_one_by_one(const T* values, std::int64_t count, LongSum<T>& sum) {
  for (std::int64_t i = 0; i < count; ++i) sum.add(values[i]);
}

template <class T>
__attribute__((noinline)) void add_pair(const Pair& pair, LongSum<T>& sum) {
  sum.add_exact(pair.high);
  sum.add_exact(pair.low);
}

template <class T>
__attribute__((noinline)) void clear(LongSum<T>& sum) {
  sum.clear();
}

template <class T>
__attribute__((noinline)) T value_of(const LongSum<T>& sum) {
  return sum.value();
}

constexpr double infinity = __builtin_inf();

// The cut for values alone; impossible if one is infinite. (For NaN, the sums become `lost`.)
template <class T>
PAPILIO_LANEWISE Cut cut_for(const T* values, int count) {
  const double largest = largest_of(values, count);
  return largest < infinity ? Cut::at(exponent_above(largest), -1100) : Cut{};
}

template <class T>
void add_values(const T* values, std::int64_t count, LongSum<T>& sum) {
  for (std::int64_t begin = 0; begin < count; begin += block_size) {
    const int size = static_cast<int>(count - begin < block_size ? count - begin : block_size);
    const Cut cut = cut_for(values + begin, size);
    Pair pair;
    if (cut.possible) pair = sum_of_block(values + begin, size, cut);
    if (!cut.possible || pair.lost) {
      add_one_by_one(values + begin, size, sum);
    } else {
      add_pair(pair, sum);
    }
  }
}

// The sum of a segment of any length and any values.
template <class T>
__attribute__((noinline)) T sum_of_long(const T* values, std::int64_t count) {
  LongSum<T> sum;
  sum.clear();
  add_values(values, count, sum);
  return sum.value();
}

// Segments are handled together as long as they have at most a block of values in all, so that short ones share a cut.
template <class T>
void sum_segments(const Segments<T>& segments) {
  const std::int64_t* const offsets = segments.offsets;
  for (std::int64_t s = 0; s < segments.count;) {
    const std::int64_t begin = offsets[s];
    std::int64_t last = s + 1;
    if (offsets[last] - begin > block_size) {
      segments.sums[s] = sum_of_long(segments.values + begin, offsets[last] - begin);
      s = last;
      continue;
    }
    while (last < segments.count && offsets[last + 1] - begin <= block_size) ++last;
    const Cut cut = cut_for(segments.values + begin, static_cast<int>(offsets[last] - begin));
    for (; s < last; ++s) {
      const T* const values = segments.values + offsets[s];
      const int count = static_cast<int>(offsets[s + 1] - offsets[s]);
      Pair pair;
      if (cut.possible) pair = sum_of_block(values, count, cut);
      segments.sums[s] = cut.possible && !pair.lost ? rounded_pair<T>(pair.high, pair.low) : sum_of_long(values, count);
    }
  }
}

// The least e with |sum| < 2^e, or a little more; for 0, below every exponent.
template <class T>
PAPILIO_LANEWISE int exponent_above(const LongSum<T>& sum) {
  const std::uint64_t fill = (sum.word[LongSum<T>::words - 1] >> 63) != 0 ? ~std::uint64_t{0} : 0;
  for (int w = LongSum<T>::words - 1; w >= 0; --w) {
    const std::uint64_t differs = sum.word[w] ^ fill;
    if (differs != 0) return FloatFormat<T>::least + 64 * w + 64 - primitives::leading_zeros(differs);
  }
  return FloatFormat<T>::least;  // the sum is 0 or -1
}

// A sum as the pair of a cut; `lost` if it has bits below. |sum| must be below 2^53 units.
template <class T>
__attribute__((noinline)) Pair pair_of(const LongSum<T>& sum, const Cut& cut) {
  constexpr int least = FloatFormat<T>::least;
  Pair pair;
  LongSum<T> rest = sum;
  const auto take = [&](int unit) {
    const int place = unit > least ? unit - least : 0;  // T has no smaller unit
    const std::int64_t integer = rest.bits_from(place);
    rest.add_integer(-static_cast<primitives::Int128>(integer), place);
    return static_cast<double>(integer) * power_of_two_or_subnormal(place + least);
  };
  pair.high = take(cut.unit);
  pair.low = take(cut.unit_low);
  for (int w = 0; w < LongSum<T>::words; ++w) pair.lost |= rest.word[w] != 0;
  return pair;
}

template <class T, bool exclusive, bool segmented>
Pair scan_with_cut(const ScanBlock<T>& block, const T* values, const Cut& cut, Pair sum) {
  for (int i = 0; i < block.count; ++i) {
    if (segmented && block.starts[i] != 0) sum.high = sum.low = 0;
    if (exclusive) block.out[i] = rounded_pair<T>(sum.high, sum.low);
    add_parts(static_cast<double>(values[i]), cut, sum);
    if (!exclusive) block.out[i] = rounded_pair<T>(sum.high, sum.low);
  }
  return sum;
}

template <class T>
__attribute__((noinline)) void scan_one_by_one(const ScanBlock<T>& block, const T* values, LongSum<T>& sum) {
  for (int i = 0; i < block.count; ++i) {
    const T value = values[i];
    if (block.starts != nullptr && block.starts[i] != 0) clear(sum);
    if (block.exclusive) block.out[i] = value_of(sum);
    sum.add(value);
    if (!block.exclusive) block.out[i] = value_of(sum);
  }
}

// Floats as whole numbers of units, in 64 bits, if all floats of a block are such: then a value takes one addition,
// and compilers turn the conversions into vector instructions. Otherwise returns false and writes nothing.
template <bool segmented>
bool scan_integers(const ScanBlock<float>& block, const float* values, int top, LongSum<float>& sum) {
  constexpr int least = FloatFormat<float>::least;
  const int unit = top - 62 > least ? top - 62 : least;
  std::int64_t running = sum.bits_from(unit - least);  // |running| < 2^62, as top is
  LongSum<float> rest = sum;
  rest.add_integer(-static_cast<primitives::Int128>(running), unit - least);
  for (int w = 0; w < LongSum<float>::words; ++w) {
    if (rest.word[w] != 0) return false;
  }
  std::int64_t units[block_size];
  const double scale = power_of_two(-unit);
  std::int64_t lost = 0;
  for (int i = 0; i < block.count; ++i) {
    const double scaled = static_cast<double>(values[i]) * scale;
    units[i] = static_cast<std::int64_t>(scaled == scaled ? scaled : 0.0);
    lost |= static_cast<double>(units[i]) != scaled ? 1 : 0;
  }
  if (lost != 0) return false;
  for (int i = 0; i < block.count; ++i) {
    if (segmented && block.starts[i] != 0) running = 0;
    const std::int64_t before = running;
    running += units[i];
    units[i] = block.exclusive ? before : running;
  }
  const auto scale_back = static_cast<float>(power_of_two(unit));
  // Rounds only once: where the product would round again, it has few enough bits already.
  for (int i = 0; i < block.count; ++i) block.out[i] = static_cast<float>(units[i]) * scale_back;
  sum.clear();
  sum.add_integer(running, unit - least);
  return true;
}

template <class T>
void scan_block(const ScanBlock<T>& block, LongSum<T>& sum) {
  T copy[block_size];  // values that are overwritten may have to be read again
  const T* values = block.values;
  if (static_cast<const T*>(block.out) == values) {
    std::memcpy(copy, values, static_cast<std::size_t>(block.count) * sizeof(T));
    values = copy;
  }
  const double largest = largest_of(values, block.count);
  Cut cut;
  if (largest < infinity && sum.special == 0) cut = Cut::at(exponent_above(largest), exponent_above(sum));
  if constexpr (sizeof(T) == sizeof(float)) {
    const bool done = cut.possible && (block.starts != nullptr ? scan_integers<true>(block, values, cut.top, sum)
                                                               : scan_integers<false>(block, values, cut.top, sum));
    if (done) return;
  }
  Pair pair;
  if (cut.possible) pair = pair_of(sum, cut);
  if (cut.possible && !pair.lost) {
    const bool segmented = block.starts != nullptr;
    pair = block.exclusive ? (segmented ? scan_with_cut<T, true, true>(block, values, cut, pair)
                                        : scan_with_cut<T, true, false>(block, values, cut, pair))
                           : (segmented ? scan_with_cut<T, false, true>(block, values, cut, pair)
                                        : scan_with_cut<T, false, false>(block, values, cut, pair));
    if (!pair.lost) {
      clear(sum);
      return add_pair(pair, sum);
    }
  }
  scan_one_by_one(block, values, sum);
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
