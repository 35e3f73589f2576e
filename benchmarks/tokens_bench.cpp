// Draws of tokens on one thread beside the plain way: pairs of category and logit, std::partial_sort, a softmax in
// double, std::discrete_distribution. Logits are normal numbers times 3, as flat as a language model's ever are. Both
// are checked to draw kept categories.
//
//   papilio_tokens_bench [--benchmark_filter=...]

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "papilio/tokens.h"

namespace {

std::vector<float> logits_of(std::int64_t rows, std::int64_t V) {
  std::mt19937_64 bits(1);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> logits(static_cast<std::size_t>(rows * V));
  for (float& x : logits) x = normal(bits);
  return logits;
}

void count(benchmark::State& state, std::int64_t logits) {
  state.SetItemsProcessed(state.iterations() * logits);
  state.SetBytesProcessed(state.iterations() * logits * 4);
}

// Without the log probability, and with it and all else that a call can say.
void sample(benchmark::State& state, papilio::TokenFilters filters, bool all) {
  const std::int64_t V = state.range(0);
  const std::vector<float> logits = logits_of(1, V);
  std::vector<std::int32_t> token(1), rank(1), kept_count(1), kept(64);
  std::vector<float> log(1), mass(1), kept_log(64);
  papilio::TokenResults results = {.tokens = token};
  if (all)
    results = {.tokens = token,
               .log_probabilities = log,
               .ranks = rank,
               .kept_counts = kept_count,
               .kept_masses = mass,
               .kept_categories = {kept.data(), 1, 64},
               .kept_log_probabilities = {kept_log.data(), 1, 64}};
  std::uint64_t position = 0;
  for (auto _ : state) {
    papilio::sample_tokens(papilio::MatrixView<const float>(logits.data(), 1, V), results, filters,
                           {.seed = 1, .first_position = position++, .threads = 1});
    benchmark::DoNotOptimize(token.data());
  }
  if (token[0] < 0 || token[0] >= V) state.SkipWithError("this is no token");
  count(state, V);
}

void plain(benchmark::State& state, float temperature, std::int64_t top_k, double top_p) {
  const std::int64_t V = state.range(0);
  const std::vector<float> logits = logits_of(1, V);
  std::mt19937_64 bits(2);
  std::int64_t token = -1;
  std::vector<std::pair<float, std::int32_t>> order(logits.size());
  std::vector<double> weights;
  for (auto _ : state) {
    for (std::size_t k = 0; k < logits.size(); ++k) order[k] = {logits[k], static_cast<std::int32_t>(k)};
    const auto end = order.begin() + (top_k > 0 ? top_k : V);
    std::partial_sort(order.begin(), end, order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    weights.clear();
    double total = 0, sum = 0;
    for (auto k = order.begin(); k != end; ++k) {
      weights.push_back(std::exp(static_cast<double>(k->first - order[0].first) / static_cast<double>(temperature)));
      total += weights.back();
    }
    std::size_t kept = 0;
    while (kept < weights.size() && sum < top_p * total) sum += weights[kept++];
    weights.resize(kept);
    std::discrete_distribution<std::int64_t> law(weights.begin(), weights.end());
    token = order[static_cast<std::size_t>(law(bits))].second;
    benchmark::DoNotOptimize(token);
  }
  if (token < 0 || token >= V) state.SkipWithError("this is no token");
  count(state, V);
}

void rows(benchmark::State& state) {
  const std::int64_t B = state.range(0), V = state.range(1);
  const std::vector<float> logits = logits_of(B, V);
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(B));
  std::uint64_t position = 0;
  for (auto _ : state) {
    papilio::sample_tokens(papilio::MatrixView<const float>(logits.data(), B, V), {.tokens = tokens},
                           {.temperature = 0.8f, .top_k = 50, .top_p = 0.9f},
                           {.seed = 1, .first_position = position++ * 1000, .threads = 1});
    benchmark::DoNotOptimize(tokens.data());
  }
  count(state, B * V);
}

const papilio::TokenFilters top_k_top_p = {.temperature = 0.8f, .top_k = 50, .top_p = 0.9f};
const papilio::TokenFilters top_p = {.temperature = 0.8f, .top_p = 0.9f};
const papilio::TokenFilters min_p = {.temperature = 0.8f, .min_p = 0.05f};
const papilio::TokenFilters greedy = {.temperature = 0.0f};
const papilio::TokenFilters none = {.temperature = 0.8f};

BENCHMARK_CAPTURE(sample, top_k_top_p, top_k_top_p, false)->ArgName("categories")->Arg(32000)->Arg(131072);
BENCHMARK_CAPTURE(sample, top_k_top_p_all_results, top_k_top_p, true)->ArgName("categories")->Arg(131072);
BENCHMARK_CAPTURE(plain, top_k_top_p, 0.8f, 50, 0.9)->ArgName("categories")->Arg(32000)->Arg(131072);
BENCHMARK_CAPTURE(sample, top_p, top_p, false)->ArgName("categories")->Arg(131072);
BENCHMARK_CAPTURE(plain, top_p, 0.8f, 0, 0.9)->ArgName("categories")->Arg(131072);
BENCHMARK_CAPTURE(sample, min_p, min_p, false)->ArgName("categories")->Arg(131072);
BENCHMARK_CAPTURE(sample, greedy, greedy, false)->ArgName("categories")->Arg(131072);
BENCHMARK_CAPTURE(sample, no_filter, none, false)->ArgName("categories")->Arg(131072);
BENCHMARK(rows)->ArgNames({"rows", "categories"})->Args({64, 131072});

}  // namespace

BENCHMARK_MAIN();
