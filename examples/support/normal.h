#pragma once

#include <papilio/gamma.h>
#include <papilio/weighted_choice.h>

#include <cmath>
#include <cstdint>
#include <vector>

// Standard normal numbers from gamma draws: half the square of one has the gamma distribution of shape 1/2, and its
// sign is a fair coin's. Uses the streams 2 * stream and 2 * stream + 1.
inline std::vector<double> normal_numbers(std::int64_t count, std::uint64_t seed, std::uint64_t stream) {
  const float half = 0.5f;
  std::vector<float> squares(static_cast<std::size_t>(count));
  std::vector<std::int32_t> negative(squares.size());
  papilio::sample_gamma({&half, count, 1, 0}, {squares.data(), count, 1}, {.seed = seed, .stream = 2 * stream});
  papilio::choice(2, papilio::VectorView<std::int32_t>(negative), {.seed = seed, .stream = 2 * stream + 1});
  std::vector<double> numbers(squares.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double size = std::sqrt(2 * static_cast<double>(squares[i]));
    numbers[i] = negative[i] == 1 ? -size : size;
  }
  return numbers;
}
