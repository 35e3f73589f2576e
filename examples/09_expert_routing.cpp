// Routes tokens to experts, as a mixture-of-experts layer does: two different experts for each token, drawn in
// proportion to exp(logit / temperature). Compares the loads with their exact expectations, and counts the tokens
// that find an expert full.

#include <papilio/primitives.h>
#include <papilio/sampling.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "support/normal.h"

namespace {

constexpr std::int64_t tokens = 32768, experts = 16, features = 8;

using Logits = std::vector<double>;  // tokens x experts

// A router: one linear layer, applied to made-up tokens.
Logits router() {
  const std::vector<double> token = normal_numbers(tokens * features, 1, 0);
  const std::vector<double> layer = normal_numbers(experts * features, 1, 1);
  Logits logits(tokens * experts);
  for (std::size_t t = 0; t < tokens; ++t)
    for (std::size_t e = 0; e < experts; ++e)
      for (std::size_t f = 0; f < features; ++f)
        logits[t * experts + e] += token[t * features + f] * layer[e * features + f];
  return logits;
}

// Draws an expert for each of `count` tokens from `first` on.
std::vector<std::int32_t> draw(const Logits& logits, double temperature, std::uint64_t stream, std::int64_t first,
                               std::int64_t count) {
  std::vector<std::int32_t> drawn(static_cast<std::size_t>(count));
  const papilio::MatrixView<const double> rows(logits.data() + first * experts, count, experts);
  papilio::sample_categorical(papilio::LogitWeights<double>{rows, {}, temperature}, drawn,
                              {.seed = 7, .stream = stream, .first_row_id = static_cast<std::uint64_t>(first)});
  return drawn;
}

// Two experts per token: first the first experts of all tokens, then the second ones, each drawn without the first.
std::vector<std::int32_t> route(Logits logits, double temperature) {
  std::vector<std::int32_t> chosen = draw(logits, temperature, 1, 0, tokens);
  for (std::size_t t = 0; t < tokens; ++t)
    logits[t * experts + static_cast<std::size_t>(chosen[t])] = -std::numeric_limits<double>::infinity();
  const std::vector<std::int32_t> second = draw(logits, temperature, 2, 0, tokens);
  chosen.insert(chosen.end(), second.begin(), second.end());
  return chosen;
}

// The two largest logits of each token.
std::vector<std::int32_t> route_greedily(const Logits& logits) {
  std::vector<std::int32_t> chosen(2 * tokens);
  for (std::size_t t = 0; t < tokens; ++t) {
    std::vector<double> row(&logits[t * experts], &logits[t * experts] + experts);
    for (const std::size_t which : {t, t + tokens}) {
      const auto best = std::max_element(row.begin(), row.end());
      chosen[which] = static_cast<std::int32_t>(best - row.begin());
      *best = -std::numeric_limits<double>::infinity();
    }
  }
  return chosen;
}

std::vector<std::int64_t> loads_of(const std::vector<std::int32_t>& chosen) {
  std::vector<std::int64_t> loads(experts);
  papilio::histogram(chosen, loads);
  return loads;
}

// The largest of |load - expectation| / standard deviation over the experts. Expert e is among the two of a token with
// probability p_e + sum over f != e of p_f p_e / (1 - p_f), independently of other tokens.
double largest_deviation(const Logits& logits, double temperature, const std::vector<std::int64_t>& loads) {
  std::vector<double> expected(experts), variance(experts), p(experts);
  for (std::size_t t = 0; t < tokens; ++t) {
    double total = 0, odds = 0;
    for (std::size_t e = 0; e < experts; ++e) total += p[e] = std::exp(logits[t * experts + e] / temperature);
    for (double& share : p) share /= total, odds += share / (1 - share);
    for (std::size_t e = 0; e < experts; ++e) {
      const double among_two = p[e] * (1 + odds - p[e] / (1 - p[e]));
      expected[e] += among_two;
      variance[e] += among_two * (1 - among_two);
    }
  }
  double largest = 0;
  for (std::size_t e = 0; e < experts; ++e)
    largest = std::max(largest, std::abs(static_cast<double>(loads[e]) - expected[e]) / std::sqrt(variance[e]));
  return largest;
}

// The share of choices whose expert is full: each expert has room for 1.25 times the mean load.
double left_out(const std::vector<std::int64_t>& loads) {
  constexpr std::int64_t capacity = 5 * 2 * tokens / (4 * experts);
  std::int64_t over = 0;
  for (const std::int64_t load : loads) over += std::max<std::int64_t>(0, load - capacity);
  return static_cast<double>(over) / (2 * tokens);
}

}  // namespace

int main() {
  const Logits logits = router();
  std::printf("two experts of %lld for each of %lld tokens\n", static_cast<long long>(experts),
              static_cast<long long>(tokens));
  std::printf("greedy:          %4.1f %% of choices find no room\n", 100 * left_out(loads_of(route_greedily(logits))));
  bool good = true;
  for (const double temperature : {1.0, 2.0, 4.0}) {
    const std::vector<std::int64_t> loads = loads_of(route(logits, temperature));
    const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
    const double here = largest_deviation(logits, temperature, loads);
    const double elsewhere = largest_deviation(logits, 1.5 * temperature, loads);
    std::printf("temperature %.0f:   %4.1f %%; loads %lld to %lld, at most %.1f standard deviations from expected\n",
                temperature, 100 * left_out(loads), static_cast<long long>(*least), static_cast<long long>(*most),
                here);
    good = good && here < 4 && elsewhere > 4;  // the law of another temperature must not pass
  }

  // A token's experts do not depend on the tokens that share its batch.
  std::vector<std::int32_t> batches = draw(logits, 1, 1, 0, 20000);
  const std::vector<std::int32_t> rest = draw(logits, 1, 1, 20000, tokens - 20000);
  batches.insert(batches.end(), rest.begin(), rest.end());
  const bool same = batches == draw(logits, 1, 1, 0, tokens);
  std::printf("in two batches:  %s\n", same ? "the same experts" : "other experts");
  return good && same ? 0 : 1;
}
