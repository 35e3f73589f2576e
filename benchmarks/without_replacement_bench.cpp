// Draws without replacement on one thread beside the race as it is written down: a logarithm for every category, then
// std::partial_sort. Both draw from weights by Pareto's law; the categories drawn are checked to be distinct and of
// positive weight. Then a reservoir and resampling.
//
//   papilio_without_replacement_bench [--benchmark_filter=...]

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "papilio/resample.h"
#include "papilio/without_replacement.h"

namespace {

template <class T>
std::vector<T> weights_of(std::int64_t K) {
  std::mt19937_64 generator(1);
  std::vector<T> weights(static_cast<std::size_t>(K));
  for (T& w : weights) w = static_cast<T>(std::pow(static_cast<double>((generator() >> 11) + 1) * 0x1p-53, -0.9));
  return weights;
}

// Stops the benchmark where the draws are none.
template <class T>
void verify(benchmark::State& state, const std::vector<T>& weights, std::vector<std::int64_t> drawn) {
  const bool positive = std::all_of(drawn.begin(), drawn.end(), [&](std::int64_t k) {
    return 0 <= k && k < std::ssize(weights) && weights[static_cast<std::size_t>(k)] > 0;
  });
  std::sort(drawn.begin(), drawn.end());
  const bool distinct = std::adjacent_find(drawn.begin(), drawn.end()) == drawn.end();
  if (!positive || !distinct) state.SkipWithError("these are no draws without replacement");
}

void count(benchmark::State& state, std::int64_t K) { state.SetItemsProcessed(state.iterations() * K); }

template <class T>
void race(benchmark::State& state) {
  const std::int64_t K = state.range(0), k = state.range(1);
  const std::vector<T> weights = weights_of<T>(K);
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(k));
  std::uint64_t row = 0;
  for (auto _ : state) {
    papilio::sample_without_replacement(papilio::MatrixWeights<T>{{weights.data(), 1, K}},
                                        papilio::MatrixView<std::int64_t>(drawn.data(), 1, k),
                                        {.seed = 1, .first_row_id = row++, .threads = 1});
    benchmark::DoNotOptimize(drawn.data());
  }
  verify(state, weights, drawn);
  count(state, K);
}

void logits(benchmark::State& state) {
  const std::int64_t K = state.range(0), k = state.range(1);
  std::vector<float> weights = weights_of<float>(K), logits;
  for (const float w : weights) logits.push_back(std::log(w));
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(k));
  std::uint64_t row = 0;
  for (auto _ : state) {
    papilio::sample_without_replacement(papilio::LogitWeights<float>{{logits.data(), 1, K}},
                                        papilio::MatrixView<std::int64_t>(drawn.data(), 1, k),
                                        {.seed = 1, .first_row_id = row++, .threads = 1});
    benchmark::DoNotOptimize(drawn.data());
  }
  verify(state, weights, drawn);
  count(state, K);
}

template <class T>
void plain_race(benchmark::State& state) {
  const std::int64_t K = state.range(0), k = state.range(1);
  const std::vector<T> weights = weights_of<T>(K);
  std::vector<std::pair<double, std::int64_t>> arrivals(weights.size());
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(k));
  std::mt19937_64 generator(2);
  for (auto _ : state) {
    for (std::size_t c = 0; c < weights.size(); ++c) {
      const double u = static_cast<double>((generator() >> 11) + 1) * 0x1p-53;
      arrivals[c] = {-std::log(u) / static_cast<double>(weights[c]), static_cast<std::int64_t>(c)};
    }
    std::partial_sort(arrivals.begin(), arrivals.begin() + k, arrivals.end());
    for (std::size_t j = 0; j < drawn.size(); ++j) drawn[j] = arrivals[j].second;
    benchmark::DoNotOptimize(drawn.data());
  }
  verify(state, weights, drawn);
  count(state, K);
}

void reservoir(benchmark::State& state) {
  const std::int64_t K = state.range(0), k = state.range(1), piece = 1000;
  const std::vector<double> weights = weights_of<double>(K);
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(k));
  std::uint64_t seed = 0;
  for (auto _ : state) {
    papilio::WeightedReservoir kept(k, {.seed = seed++});
    for (std::int64_t at = 0; at < K; at += piece)
      kept.add(papilio::VectorView<const double>(weights.data() + at, std::min(piece, K - at)), at);
    kept.items(papilio::VectorView<std::int64_t>(drawn));
  }
  verify(state, weights, drawn);
  count(state, K);
}

void resample(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const std::vector<double> weights = weights_of<double>(n);
  std::vector<std::int32_t> ancestors(weights.size());
  std::uint64_t stream = 0;
  for (auto _ : state)
    papilio::resample(papilio::VectorView<const double>(weights), papilio::VectorView<std::int32_t>(ancestors),
                      {.seed = 1, .stream = stream++, .method = static_cast<papilio::ResampleMethod>(state.range(1))});
  if (!std::is_sorted(ancestors.begin(), ancestors.end())) state.SkipWithError("these are no ancestors");
  state.SetLabel(std::string(papilio::name(static_cast<papilio::ResampleMethod>(state.range(1)))));
  count(state, n);
}

// As it is written down in double: running sums, a comb.
void plain_systematic(benchmark::State& state) {
  const std::vector<double> weights = weights_of<double>(state.range(0));
  std::vector<double> sums(weights.size());
  std::vector<std::int32_t> ancestors(weights.size());
  std::mt19937_64 generator(2);
  for (auto _ : state) {
    std::partial_sum(weights.begin(), weights.end(), sums.begin());
    const double step = sums.back() / static_cast<double>(ancestors.size());
    const double offset = static_cast<double>(generator() >> 11) * 0x1p-53;
    std::size_t k = 0;
    for (std::size_t j = 0; j < ancestors.size(); ++j) {
      while (k + 1 < sums.size() && sums[k] <= (static_cast<double>(j) + offset) * step) ++k;
      ancestors[j] = static_cast<std::int32_t>(k);
    }
    benchmark::DoNotOptimize(ancestors.data());
  }
  count(state, state.range(0));
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const std::int64_t K : {1'000, 100'000, 1'000'000})
    for (const std::int64_t k : {10, 1'000}) b->Args({K, k});
}

BENCHMARK(race<float>)->Name("papilio, float")->Apply(sizes);
BENCHMARK(race<double>)->Name("papilio, double")->Apply(sizes);
BENCHMARK(logits)->Name("papilio, logits")->Apply(sizes);
BENCHMARK(plain_race<double>)->Name("plain race, double")->Apply(sizes);
BENCHMARK(reservoir)->Name("papilio, reservoir")->Args({1'000'000, 10})->Args({1'000'000, 1'000});
BENCHMARK(race<float>)->Name("papilio, shuffle")->Args({100'000, 100'000});
BENCHMARK(plain_race<float>)->Name("plain race, shuffle")->Args({100'000, 100'000});
BENCHMARK(resample)->Name("papilio, resample")->ArgsProduct({{1'000, 1'000'000}, {0, 1, 2, 3}});
BENCHMARK(plain_systematic)->Name("plain systematic")->Arg(1'000)->Arg(1'000'000);

}  // namespace

BENCHMARK_MAIN();
