#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace papilio::sampling {

__extension__ using Wide = unsigned __int128;

// floor(x n / 2^64) for 64 random bits x: a number below n; n < 2^127.
constexpr Wide below(std::uint64_t x, Wide n) {
  return x * (n >> 64) + (x * Wide{static_cast<std::uint64_t>(n)} >> 64);
}

// Weights as whole numbers W_k of at most 62 bits, of which the largest has at least 61, in the proportions
// of the given weights, each rounded to the nearest. Throws InvalidArgument if they cannot be drawn from.
template <class T>
std::vector<std::uint64_t> whole_weights(const char* function, std::span<const T> weights);

// How often each category is drawn in m draws by whole weights W_k of total W: at
// most 2^31 weights, m < 2^31. All sums and products are below 2^125 and exact.
//
// Tooth j < m of a comb is at j W + offset(j), 0 <= offset(j) < W, on a line where category k has length m W_k.
template <class Offset>
std::vector<std::int64_t> comb_counts(std::span<const std::uint64_t> whole, Wide total, std::int64_t m,
                                      const Offset& offset) {
  std::vector<std::int64_t> counts(whole.size());
  std::size_t k = 0;
  const auto draws = static_cast<std::uint64_t>(m);
  Wide end = Wide{draws} * whole[0], begin = 0;  // end of category k; begin of tooth j
  for (std::int64_t j = 0; j < m; ++j, begin += total) {
    const Wide tooth = begin + offset(j);
    while (end <= tooth) end += Wide{draws} * whole[++k];
    ++counts[k];
  }
  return counts;
}

}  // namespace papilio::sampling
