// Ordered sums by parts have the bits of a sum in one loop.

#include "lda/evaluation/fold_in/ordered_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "lda/evaluation/fold_in/fixed_phi_formulas.h"

namespace papilio::lda {
namespace {

double one_after_another(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x;
  return sum;
}

// As the threads of a block do it, in tree order.
RoundedSteps steps_of(const std::vector<double>& numbers, std::size_t begin, std::size_t end, double per_one) {
  if (begin == end) return {};
  if (end - begin == 1) return rounded_steps(numbers[begin], per_one);
  const std::size_t middle = begin + (end - begin) / 3 + (end - begin == 2 ? 1 : 0);
  return both_steps(steps_of(numbers, begin, middle, per_one), steps_of(numbers, middle, end, per_one));
}

double by_parts(const std::vector<double>& numbers, std::size_t part) {
  double sum = numbers[0];
  std::size_t next = 1;
  while (next < numbers.size()) {
    const double per_one = units_per_one(sum);
    const auto units = static_cast<std::int64_t>(sum * per_one);
    EXPECT_GE(units, end_of_units / 2);
    EXPECT_LT(units, end_of_units);
    // The longest run of parts that stays in the unit, whatever is added up first; then a part by one thread.
    std::size_t end = next;
    std::int64_t reached = units;
    while (end < numbers.size()) {
      const std::size_t further = std::min(end + part, numbers.size());
      const std::int64_t then = after_steps(units, steps_of(numbers, next, further, per_one));
      if (then >= end_of_units) break;
      reached = then;
      end = further;
    }
    sum = static_cast<double>(reached) / per_one;
    next = std::min(end + part, numbers.size());
    for (std::size_t i = end; i < next; ++i) sum += numbers[i];
  }
  return sum;
}

// By steps that are known before the sum is, each beside a sum of another order.
double by_known_steps(const std::vector<double>& numbers, double error, int& unknown) {
  double about = 0, sum = 0;
  std::uint64_t units = 0;
  for (const double x : numbers) {
    const KnownStep step = known_step(about * (1 + error), x);
    units += step.units;
    if (!step.is_known) {
      const double added = of_units(about * (1 + error), units);
      EXPECT_EQ(sum + added, after_units(sum, units));
      sum = sum + added + x;
      units = 0;
      ++unknown;
    }
    about += x;
  }
  return after_units(sum, units);
}

void expect_same_sums(const std::vector<double>& numbers) {
  // As far off as the sum of a million numbers may be.
  for (const double error : {0.0, std::ldexp(1.0, -34), -std::ldexp(1.0, -34)}) {
    int unknown = 0;
    EXPECT_EQ(by_known_steps(numbers, error, unknown), one_after_another(numbers)) << numbers.size() << " numbers";
  }
  for (const std::size_t part : {std::size_t{1}, std::size_t{3}, std::size_t{32}, numbers.size()}) {
    EXPECT_EQ(by_parts(numbers, part), one_after_another(numbers)) << numbers.size() << " numbers, parts of " << part;
  }
}

TEST(OrderedSum, HasTheBitsOfALoop) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform;
  for (int round = 0; round < 200; ++round) {
    std::vector<double> numbers(1 + random() % 400);
    const double spread = round % 4 * 12.0;
    for (double& x : numbers) x = std::exp(spread * (uniform(random) - 0.5)) * uniform(random) + 1e-100;
    expect_same_sums(numbers);
  }
}

// Numbers with few bits are ties over and over.
TEST(OrderedSum, RoundsTiesAsALoop) {
  std::mt19937_64 random(8);
  int ties = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<double> numbers(1 + random() % 300);
    for (double& x : numbers) {
      x = std::ldexp(1 + static_cast<double>(random() % 4), -static_cast<int>(random() % 4) - 50);
    }
    numbers[0] = 1 + std::ldexp(static_cast<double>(random() % 8), -52);
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      const RoundedSteps steps = rounded_steps(numbers[i] / 8, units_per_one(1));
      ties += steps.even != steps.odd ? 1 : 0;
      numbers[i] /= 8;
    }
    expect_same_sums(numbers);
  }
  EXPECT_GT(ties, 1000);
}

// Of a thousand numbers of about the same size hardly more than a tie and a new unit for each doubling of the sum.
TEST(OrderedSum, KnowsMostStepsBeforehand) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> uniform(0.05, 1.0);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> numbers(1024);
    for (double& x : numbers) x = uniform(random);
    int unknown = 0;
    EXPECT_EQ(by_known_steps(numbers, 0, unknown), one_after_another(numbers));
    EXPECT_LT(unknown, 64);
  }
}

TEST(OrderedSum, TakesNumbersAtTheEdge) {
  expect_same_sums({1e-100});
  expect_same_sums({std::nextafter(1.0, 0.0), std::ldexp(1.0, -54), std::ldexp(1.0, -53), 0.25});
  for (double x = 1; x < 1 + std::ldexp(1.0, -45); x = std::nextafter(x, 2)) {
    expect_same_sums({x, std::ldexp(0.75, -53), std::ldexp(1.25, -52)});
    expect_same_sums({2 - x, std::ldexp(0.75, -53), std::ldexp(1.25, -52)});
  }
  expect_same_sums({1e-100, 1e6, 1e-100, 1e6});
  expect_same_sums({1, std::ldexp(1.0, -53), std::ldexp(1.0, -53), 1 - std::ldexp(1.0, -53)});
  expect_same_sums({1.5, 0.5 - std::ldexp(1.0, -53), std::ldexp(1.0, -53)});
  expect_same_sums(std::vector<double>(1025, 1.0 / 1025));
  expect_same_sums(std::vector<double>(300, std::nextafter(1.0, 0.0)));
}

// theta divided by its sum by way of a reciprocal.
TEST(OrderedSum, NormalisesAsDivisionDoes) {
  std::mt19937_64 random(11);
  const auto fraction = [&](std::uint64_t bits) { return std::ldexp(static_cast<double>(random() % bits), -52); };
  constexpr std::uint64_t any = std::uint64_t{1} << 52;
  for (int round = 0; round < 200'000; ++round) {
    const double near_one = 1 + fraction(64), near_two = 2 - std::ldexp(1.0, -52) - fraction(64);
    for (const double total : {1 + fraction(any), near_one, near_two}) {
      for (const double folded : {1 + fraction(any), near_one, near_two, total, (1 + fraction(any)) * total}) {
        const double scaled = std::ldexp(folded, -static_cast<int>(random() % 330));
        ASSERT_EQ(normalised(scaled, total, 1 / total), scaled / total) << scaled << " / " << total;
      }
    }
  }
}

}  // namespace
}  // namespace papilio::lda
