#include "sampling/resample/whole_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace papilio::sampling {

template <class T>
std::vector<std::uint64_t> whole_weights(const char* function, std::span<const T> weights) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  base::require(!weights.empty(), "papilio::{}: there are no weights, so there is nothing to draw", function);
  base::require(std::ssize(weights) <= most, "papilio::{}: weights must be at most {}; got {}", function, most,
                weights.size());
  double largest = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double weight = weights[k];
    base::require(weight >= 0 && weight <= std::numeric_limits<double>::max(),
                  "papilio::{}: weights must be finite and >= 0; weight {} is {} ({} weights)", function, k, weight,
                  weights.size());
    largest = std::max(largest, weight);
  }
  base::require(largest > 0, "papilio::{}: no weight is positive, so there is nothing to draw ({} weights)", function,
                weights.size());
  int exponent = 0;
  std::frexp(largest, &exponent);
  std::vector<std::uint64_t> whole(weights.size());
  const int shift = 62 - exponent;  // from -962 to 1136, so in two steps; exact, except for weights that become 0
  const double first = std::ldexp(1.0, shift / 2), second = std::ldexp(1.0, shift - shift / 2);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const double scaled = double{weights[k]} * first * second;
    const double rounded = scaled < 0x1p52 ? (scaled + 0x1p52) - 0x1p52 : scaled;
    whole[k] = static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded));
  }
  return whole;
}

template std::vector<std::uint64_t> whole_weights(const char*, std::span<const float>);
template std::vector<std::uint64_t> whole_weights(const char*, std::span<const double>);

}  // namespace papilio::sampling
