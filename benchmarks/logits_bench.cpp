// Draws from rows of logits on one thread of the CPU beside draws from rows of weights of the same sizes: prints a
// table in Markdown. The draws of both are checked against each other before anything is timed.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "papilio/device.h"
#include "papilio/sampling.h"
#include "papilio/version.h"

namespace {

constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {
    {100'000, 32}, {20'000, 256}, {1'000, 4'096}, {64, 50'257},
    {64, 128'256}, {1, 128'256},  {1, 262'144},   {1, 10'000'000},
};

template <class Weights>
std::vector<std::int32_t> draw(const Weights& weights, std::int64_t rows, std::uint64_t seed) {
  std::vector<std::int32_t> drawn(static_cast<std::size_t>(rows));
  papilio::sample_categorical(weights, papilio::VectorView<std::int32_t>(drawn), {.seed = seed, .threads = 1});
  return drawn;
}

// Milliseconds, the best of many calls in 0.5 seconds.
template <class Weights>
double time(const Weights& weights, std::int64_t rows) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  std::uint64_t seed = 0;
  const Clock::time_point start = Clock::now();
  do {
    const Clock::time_point begin = Clock::now();
    draw(weights, rows, ++seed);
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  } while (Clock::now() - start < std::chrono::milliseconds(500));
  return best;
}

void compare(std::int64_t rows, std::int64_t columns) {
  std::mt19937 bits(1);
  std::vector<float> logits(static_cast<std::size_t>(rows * columns)), weights(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const int exponent = -static_cast<int>(bits() % 16);
    logits[i] = static_cast<float>(exponent);
    weights[i] = std::ldexp(1.0F, exponent);
  }
  for (std::int64_t row = 0; row < rows; ++row) {  // the largest logit is 0, so that weights are the same numbers
    logits[static_cast<std::size_t>(row * columns)] = 0;
    weights[static_cast<std::size_t>(row * columns)] = 1;
  }
  constexpr double base_of_two = 0x1.71547652b82fep0;  // as a temperature: weights are powers of two
  const papilio::LogitWeights<float> as_logits = {{logits.data(), rows, columns}, {}, base_of_two};
  const papilio::MatrixWeights<float> as_weights = {{weights.data(), rows, columns}};
  if (draw(as_logits, rows, 7) != draw(as_weights, rows, 7)) throw std::runtime_error("logits draw other categories");
  const double of_weights = time(as_weights, rows), of_logits = time(as_logits, rows);
  std::printf("| %lld x %lld | %.3f | %.3f | %.2f |\n", static_cast<long long>(rows), static_cast<long long>(columns),
              of_weights, of_logits, of_logits / of_weights);
}

}  // namespace

int main() {
  std::printf("papilio %s, %s, one thread; milliseconds per call.\n\n", papilio::version(),
              papilio::cpu_target().c_str());
  std::printf("| rows x categories | weights | logits | logits / weights |\n| --- | ---: | ---: | ---: |\n");
  for (const auto& [rows, columns] : shapes) compare(rows, columns);
}
