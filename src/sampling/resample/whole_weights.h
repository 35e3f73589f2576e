#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace papilio::sampling {

__extension__ using Wide = unsigned __int128;

// floor(x n / 2^64) for 64 random bits x: below n, n < 2^127.
constexpr Wide below(std::uint64_t x, Wide n) {
  return x * (n >> 64) + (x * Wide{static_cast<std::uint64_t>(n)} >> 64);
}

// Weights as whole numbers W_k of at most 62 bits, the largest of at least 61, in the proportions of the given ones:
// each rounded to the nearest. Throws InvalidArgument where they cannot be drawn from.
template <class T>
std::vector<std::uint64_t> whole_weights(const char* function, std::span<const T> weights);

// How often each category is drawn in m draws by whole weights W_k, their total W: at most 2^31 weights, m < 2^31. All
// sums and products are below 2^125 and exact.
//
// A comb has the teeth j W + offset(j), 0 <= offset(j) < W, j < m, on a line on which category k has the length m W_k.
template <class Offset>
std::vector<std::int64_t> comb_counts(std::span<const std::uint64_t> whole, Wide total, std::int64_t m,
                                      const Offset& offset) {
  std::vector<std::int64_t> counts(whole.size());
  std::size_t k = 0;
  const Wide draws = static_cast<Wide>(m);
  Wide end = draws * whole[0];
  for (std::int64_t j = 0; j < m; ++j) {
    const Wide tooth = static_cast<Wide>(j) * total + offset(j);
    while (end <= tooth) end += draws * whole[++k];
    ++counts[k];
  }
  return counts;
}

// The running sums W_0 + ... + W_k.
std::vector<Wide> running_sums(std::span<const std::uint64_t> whole);

}  // namespace papilio::sampling
