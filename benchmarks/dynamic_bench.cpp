// Draws from weights that change, one thread: updates and draws a second for each method beside
// std::discrete_distribution, which is made again after an update. Prints a table in Markdown. Every category drawn is
// checked to have a positive weight.
//
//   papilio_dynamic_bench [LARGEST_K]

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <vector>

#include "papilio/device.h"
#include "papilio/dynamic.h"
#include "papilio/version.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Pareto's law, so that exponents differ: a few categories have most of the weight.
double weight_of(std::mt19937_64& generator) {
  const double u = static_cast<double>((generator() >> 11) + 1) * 0x1p-53;
  return std::pow(u, -0.9);
}

struct Rates {
  double updates;
  double draws;
};

Rates rates_of(const std::vector<double>& weights, papilio::DynamicMethod method) {
  papilio::DynamicWeights kept(papilio::VectorView<const double>(weights), method);
  std::mt19937_64 generator(2);
  const auto K = static_cast<std::uint64_t>(weights.size());
  std::int64_t updates = 0;
  const Clock::time_point began = Clock::now();
  do {
    for (int i = 0; i < 1000; ++i) kept.set(static_cast<std::int64_t>(generator() % K), weight_of(generator));
    updates += 1000;
  } while (seconds_since(began) < 1);
  const double update_seconds = seconds_since(began);

  std::vector<std::int32_t> drawn(1 << 14);
  std::int64_t draws = 0;
  const Clock::time_point began_draws = Clock::now();
  do {
    kept.sample(papilio::VectorView<std::int32_t>(drawn),
                {.seed = 1, .first_draw = static_cast<std::uint64_t>(draws), .threads = 1});
    draws += std::ssize(drawn);
  } while (seconds_since(began_draws) < 1);
  const double draw_seconds = seconds_since(began_draws);
  for (const std::int32_t k : drawn) {
    if (!(kept.weight(k) > 0)) throw std::runtime_error("a category without weight was drawn");
  }
  return {static_cast<double>(updates) / update_seconds, static_cast<double>(draws) / draw_seconds};
}

// An update is a new table; a draw is a search in it.
Rates rates_of_standard(std::vector<double> weights) {
  std::mt19937_64 generator(2);
  std::int64_t updates = 0;
  std::discrete_distribution<std::int32_t> law;
  const Clock::time_point began = Clock::now();
  do {
    weights[generator() % weights.size()] = weight_of(generator);
    law = std::discrete_distribution<std::int32_t>(weights.begin(), weights.end());
    ++updates;
  } while (seconds_since(began) < 1);
  const double update_seconds = seconds_since(began);
  std::int64_t draws = 0;
  std::int64_t sum = 0;
  const Clock::time_point began_draws = Clock::now();
  do {
    for (int i = 0; i < 1 << 14; ++i) sum += law(generator);
    draws += 1 << 14;
  } while (seconds_since(began_draws) < 1);
  if (sum < 0) std::puts("");
  return {static_cast<double>(updates) / update_seconds, static_cast<double>(draws) / seconds_since(began_draws)};
}

void print_row(std::int64_t K, const char* what, Rates rates) {
  std::printf("| %lld | %s | %.3g | %.3g |\n", static_cast<long long>(K), what, rates.updates / 1e6, rates.draws / 1e6);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t largest = count > 1 ? std::atoll(arguments[1]) : 100'000'000;
  std::printf("papilio %s, %s, one thread; millions per second.\n\n", papilio::version(),
              papilio::cpu_target().c_str());
  std::printf("| K | method | updates | draws |\n| ---: | --- | ---: | ---: |\n");
  for (std::int64_t K = 1000; K <= largest; K *= 10) {
    std::mt19937_64 generator(1);
    std::vector<double> weights(static_cast<std::size_t>(K));
    for (double& weight : weights) weight = weight_of(generator);
    for (const auto& row : papilio::dynamic_methods()) {
      if (row.value == papilio::DynamicMethod::huffman && K > 10'000'000) continue;  // 32 bytes a category, and a sort
      print_row(K, row.name.data(), rates_of(weights, row.value));
    }
    if (K <= 10'000'000) print_row(K, "std::discrete_distribution, made anew", rates_of_standard(weights));
  }
}
