#include "sampling/tables/choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "papilio/error.h"
#include "papilio/sampling.h"
#include "papilio/weighted_choice.h"
#include "random/philox.h"
#include "random/uniform.h"

namespace papilio {
namespace {

using sampling::CategoryIndex;
using sampling::GroupSums;

using Weights = std::vector<double>;
__extension__ using Wide = unsigned __int128;

template <class T = double>
GroupSums<T> groups_of(const std::vector<T>& weights) {
  return GroupSums<T>(VectorView<const T>(weights), 1);
}

template <class T>
std::vector<std::int64_t> draws(const std::vector<T>& weights, std::size_t count, RepeatedDrawOptions options = {}) {
  std::vector<std::int64_t> drawn(count, -1);
  choice(VectorView<const T>(weights), VectorView<std::int64_t>(drawn), options);
  return drawn;
}

// u, and the doubles around it, where they are in [0, 1).
std::vector<double> around(double u) {
  std::vector<double> found;
  for (const double near : {std::nextafter(u, 0.0), u, std::nextafter(u, 1.0)})
    if (near >= 0 && near < 1) found.push_back(near);
  return found;
}

// Weights of every kind that is hard: runs of zeros, sums that lose small weights, one weight beside many tiny ones.
std::vector<Weights> hard_weights() {
  std::vector<Weights> all = {{3}, {0, 0, 2}, {2, 0, 0}, Weights(33, 1.0), Weights(1000, 0.1)};
  std::mt19937_64 generator(7);
  for (const std::size_t count : {2, 31, 32, 33, 64, 100, 1025, 5000}) {
    Weights spread(count), rare(count, 0.0), heavy(count, 1e-9), absorbed(count, 1e-17), falling(count);
    for (std::size_t k = 0; k < count; ++k) {
      spread[k] = generator() % 4 == 0 ? 0 : std::exp(static_cast<double>(generator() % 60) - 30);
      falling[k] = std::pow(0.5, static_cast<double>(k % 1000));
    }
    spread[count / 2] = 1;
    rare[count - 1] = 1;
    rare[count / 3] = 3;
    heavy[count / 2] = 1;
    absorbed[0] = 1;
    all.insert(all.end(), {spread, rare, heavy, absorbed, falling});
  }
  return all;
}

TEST(Choice, IsTheIntervalThatHoldsU) {
  // Whole numbers of 2^k in all, so that sums, boundaries and u * total are exact.
  std::mt19937_64 generator(3);
  for (const std::size_t count : {1, 5, 32, 33, 70, 700}) {
    Weights weights(count);
    double total = 0;
    for (double& weight : weights) total += weight = static_cast<double>(generator() % 3 * (generator() % 100));
    const double whole = std::exp2(std::ceil(std::log2(total + 1)));
    weights[count / 2] += whole - total;
    const auto groups = groups_of(weights);
    const CategoryIndex<double> index(groups);
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (weights[k] == 0) continue;
      const double next = sum + weights[k];
      for (const double u : {sum / whole, std::nextafter(next / whole, 0.0), (sum + next) / 2 / whole}) {
        EXPECT_EQ(groups.find(u), static_cast<std::int64_t>(k));
        EXPECT_EQ(index.find(u), static_cast<std::int64_t>(k));
      }
      sum = next;
    }
  }
}

TEST(Choice, TheIndexChangesNothing) {
  for (const Weights& weights : hard_weights()) {
    const auto groups = groups_of(weights);
    const CategoryIndex<double> index(groups);
    double total = 0;
    for (const double weight : weights) total += weight;
    std::vector<double> numbers = {0, std::nextafter(1.0, 0.0)};
    double sum = 0;
    for (const double weight : weights) {
      sum += weight;
      for (const double u : around(sum / total)) numbers.push_back(u);
    }
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const random::Block block = random::draw_block(1, 2, i);
      numbers.push_back(random::uniform53(block.word[0], block.word[1]));
    }
    std::sort(numbers.begin(), numbers.end());
    std::int64_t before = 0;
    for (const double u : numbers) {
      const std::int64_t k = groups.find(u);
      ASSERT_GE(k, before);  // never decreases
      ASSERT_GT(weights[static_cast<std::size_t>(k)], 0);
      ASSERT_EQ(index.find(u), k) << weights.size() << " categories, u = " << u;
      before = k;
    }
  }
}

TEST(Choice, ManyDrawsBeginWithTheFewOnes) {
  Weights weights(1000);
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = static_cast<double>(k % 7);
  ASSERT_FALSE(sampling::choice_makes_index(1000, 249));
  ASSERT_TRUE(sampling::choice_makes_index(1000, 250));
  const auto many = draws(weights, 20'000, {.seed = 5, .stream = 6});
  for (const std::size_t few : {1, 10, 249, 250, 5000}) {
    const auto first = draws(weights, few, {.seed = 5, .stream = 6});
    EXPECT_TRUE(std::equal(first.begin(), first.end(), many.begin()));
    const auto later = draws(weights, few, {.seed = 5, .stream = 6, .first_draw = 333});
    EXPECT_TRUE(std::equal(later.begin(), later.end(), many.begin() + 333));
  }
  for (const int threads : {1, 2, 7})
    EXPECT_EQ(draws(weights, 20'000, {.seed = 5, .stream = 6, .threads = threads}), many);
  const auto groups = groups_of(weights);
  for (std::size_t i = 0; i < 100; ++i) {
    const random::Block block = random::draw_block(5, 6, i);
    EXPECT_EQ(many[i], groups.find(random::uniform53(block.word[0], block.word[1])));
  }
}

TEST(Choice, MakesAnIndexByTheNumbersAlone) {
  EXPECT_FALSE(sampling::choice_makes_index(10, 63));
  EXPECT_TRUE(sampling::choice_makes_index(10, 64));
  EXPECT_TRUE(sampling::choice_makes_index(256, 64));
  EXPECT_FALSE(sampling::choice_makes_index(260, 64));
  EXPECT_FALSE(sampling::choice_makes_index(1'000'000, 1000));
  EXPECT_TRUE(sampling::choice_makes_index(1'000'000, 250'000));
}

TEST(Choice, FloatsAreTheSameNumbersAsDoubles) {
  std::vector<float> floats(500);
  for (std::size_t k = 0; k < floats.size(); ++k) floats[k] = 1 / static_cast<float>(k + 1);
  for (const std::size_t count : {100, 5000})
    EXPECT_EQ(draws(floats, count, {.seed = 3}), draws(Weights(floats.begin(), floats.end()), count, {.seed = 3}));
}

TEST(Choice, ScalesWhatWouldOverflowOrLoseBits) {
  Weights weights = {1, 2, 0, 4, 9, 16};
  weights.resize(64, 3);
  for (const double scale : {0x1p-1074, 0x1p-1000, 0x1p1000, 0x1p1019}) {
    Weights scaled = weights;
    for (double& weight : scaled) weight *= scale;
    for (const std::size_t count : {10, 1000}) EXPECT_EQ(draws(scaled, count), draws(weights, count));
  }
}

TEST(Choice, SumsOfManyGroups) {
  // More groups than a thread takes at once, and a bad weight in the last.
  Weights weights(32 * 3000 + 5, 1.0);
  const auto groups = groups_of(weights);
  for (const std::int64_t k : {0, 31, 32, 32'768, 65'536, 96'004})
    EXPECT_EQ(groups.find((static_cast<double>(k) + 0.5) / static_cast<double>(weights.size())), k);
  weights.back() = -1;
  try {
    groups_of(weights);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("category 96004 is -1 (96005 categories)"), std::string::npos);
  }
}

TEST(Choice, OfEqualWeights) {
  std::vector<std::int32_t> drawn(3000);
  for (const std::int64_t categories : {1, 3, 1000, std::numeric_limits<std::int32_t>::max()}) {
    choice(categories, VectorView<std::int32_t>(drawn), {.seed = 9});
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const random::Block block = random::draw_block(9, 0, i);
      const auto x = static_cast<Wide>(std::uint64_t{block.word[1]} << 32 | block.word[0]);
      ASSERT_EQ(drawn[i], static_cast<std::int64_t>(x * static_cast<std::uint64_t>(categories) >> 64));
    }
  }
}

}  // namespace
}  // namespace papilio
