#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

// The recurrence x_i = a_i + b_i x_{i-1} of each segment, from x = 0: an exponential average of what is observed,
// which starts anew with each series. What the examples of scans in kernels share.

inline constexpr std::int64_t count = 100'000;

struct Observations {
  std::vector<float> shift = std::vector<float>(count), factor = std::vector<float>(count);
  std::vector<std::uint8_t> begins = std::vector<std::uint8_t>(count);  // 1: a series begins
};

inline Observations observations() {
  Observations o;
  std::uint32_t x = 7;
  const auto next = [&] { return (x = x * 1664525u + 1013904223u) >> 8; };
  for (std::size_t i = 0; i < count; ++i) {
    o.factor[i] = 0.75f + 0.125f * static_cast<float>(next()) * 0x1p-24f;
    o.shift[i] = (1 - o.factor[i]) * static_cast<float>(next() % 1000);
    o.begins[i] = i == 0 || next() % 3000 == 0 ? 1 : 0;
  }
  return o;
}

// The FNV-1a hash of the bits of the averages, and their distance from those in double, one by one.
inline void print_averages(const Observations& o, const std::vector<float>& average) {
  std::uint64_t hash = 0xcbf29ce484222325;
  double x = 0, furthest = 0;
  int series = 0;
  for (std::size_t i = 0; i < count; ++i) {
    series += o.begins[i];
    x = double{o.shift[i]} + (o.begins[i] != 0 ? 0 : double{o.factor[i]} * x);
    const double away = x > average[i] ? x - double{average[i]} : double{average[i]} - x;
    if (away > furthest) furthest = away;
    const auto bits = __builtin_bit_cast(std::uint32_t, average[i]);
    for (int byte = 0; byte < 4; ++byte) hash = (hash ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3;
  }
  std::printf("%d series of %d observations; the last averages: %.3f %.3f %.3f\n", series, static_cast<int>(count),
              static_cast<double>(average[count - 3]), static_cast<double>(average[count - 2]),
              static_cast<double>(average[count - 1]));
  std::printf("%s 0.001 from sums in double; hash of the bits %016llx\n", furthest < 0.001 ? "less than" : "more than",
              static_cast<unsigned long long>(hash));
}
