#pragma once

#include <array>
#include <cmath>
#include <ostream>
#include <utility>
#include <vector>

#include "papilio/lda.h"

// What a sweep of each sampler is, for the tests of its law.

namespace papilio::testing {

// Whole priors of 1 and more, so that the densities of parameters are polynomials, which Gauss' rule integrates.
inline const std::vector<double> alpha = {1, 2};
inline constexpr double beta = 1;
inline const std::vector<SeedWord> seeds = {{1, 0, 3}, {0, 1, 1}, {1, 1, 1}};  // whole numbers too

// A parameter of two entries, and the share of its law that it stands for.
struct Node {
  std::array<double, 2> value;
  double share;
};

// Gauss and Legendre's rule for Beta(a, b).
inline std::vector<Node> nodes_of_beta(double a, double b) {
  constexpr int points = 20;
  std::vector<Node> nodes;
  double total = 0;
  for (int i = 0; i < points; ++i) {
    double x = std::cos(M_PI * (i + 0.75) / (points + 0.5));
    double slope = 0;
    for (int step = 0; step < 20; ++step) {  // Newton, to the root of the polynomial
      double before = 1;
      double value = x;
      for (int n = 2; n <= points; ++n) {
        before = std::exchange(value, ((2 * n - 1) * x * value - (n - 1) * before) / n);
      }
      slope = points * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    const double t = (1 + x) / 2;
    nodes.push_back({{t, 1 - t}, std::pow(t, a - 1) * std::pow(1 - t, b - 1) / ((1 - x * x) * slope * slope)});
    total += nodes.back().share;
  }
  for (Node& node : nodes) node.share /= total;
  return nodes;
}

enum class Source { drawn, counted, counted_without_the_token };

// What a sweep of a sampler is.
struct Rule {
  Sampler sampler;
  Schedule schedule;
  Source theta;
  Source phi;
  bool sees_new_topics;  // those of the tokens before
  Draws draws = Draws::dense;
  bool seeded = false;

  TrainOptions options() const {
    TrainOptions options;
    options.topics = 2;
    options.topic_alpha = alpha;
    options.beta = beta;
    options.seed = 9;
    options.sampler = sampler;
    options.schedule = schedule;
    options.draws = draws;
    if (seeded) options.seed_words = seeds;
    return options;
  }
  friend std::ostream& operator<<(std::ostream& out, const Rule& rule) {
    return out << name(rule.sampler) << ", " << name(rule.schedule) << ", " << name(rule.draws)
               << (rule.seeded ? ", seeded" : "");
  }
};

inline constexpr auto drawn = Source::drawn;
inline constexpr auto counted = Source::counted;
inline constexpr auto without = Source::counted_without_the_token;

// Sparse draws have the laws of dense ones.
inline constexpr Rule sparse_rules[] = {
    {Sampler::mean_for_mode, Schedule::parallel, counted, counted, false, Draws::sparse},
    {Sampler::theta_collapsed, Schedule::parallel, without, drawn, true, Draws::sparse},
    {Sampler::collapsed, Schedule::parallel, without, without, false, Draws::sparse},
    {Sampler::collapsed, Schedule::sequential, without, without, true, Draws::sparse}};

}  // namespace papilio::testing
