// A reservoir holds what is drawn without replacement from the whole row, however its items come.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "papilio/without_replacement.h"
#include "sampling/support.h"

namespace papilio {
namespace {

using testing::message_of;
using testing::random_weights;

class WeightedReservoirTest : public testing::SamplingTest {};

std::vector<std::int64_t> items_of(const WeightedReservoir& reservoir) {
  std::vector<std::int64_t> items(static_cast<std::size_t>(reservoir.size()));
  reservoir.items(VectorView<std::int64_t>(items));
  return items;
}

template <class T>
void add(WeightedReservoir& reservoir, const std::vector<T>& weights, std::size_t begin, std::size_t end,
         std::int64_t number_of_first = 0) {
  reservoir.add(VectorView<const T>(weights.data() + begin, static_cast<std::int64_t>(end - begin)),
                number_of_first + static_cast<std::int64_t>(begin));
}

// What is drawn from the whole row, without the -1 where there are fewer.
std::vector<std::int64_t> of_the_row(const std::vector<double>& weights, std::int64_t k, const ReservoirOptions& o) {
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(k));
  std::vector<DrawStatus> status(1);
  sample_without_replacement(
      MatrixWeights<double>{{weights.data(), 1, std::ssize(weights)}}, MatrixView<std::int64_t>(drawn.data(), 1, k),
      {.seed = o.seed, .stream = o.stream, .first_row_id = o.row_id, .status = VectorView<DrawStatus>(status)});
  drawn.erase(std::find(drawn.begin(), drawn.end(), -1), drawn.end());
  return drawn;
}

TEST_F(WeightedReservoirTest, IsTheWholeRowForEverySplit) {
  const ReservoirOptions options = {.seed = 4, .stream = 5, .row_id = 6};
  const std::vector<double> weights = random_weights<double>(400, 1);
  for (const std::int64_t k : {1, 10, 129, 1000}) {
    const auto expected = of_the_row(weights, k, options);
    for (std::size_t cut = 0; cut <= weights.size(); ++cut) {
      WeightedReservoir reservoir(k, options), later(k, options);
      add(reservoir, weights, cut, weights.size());
      add(later, weights, 0, cut);
      WeightedReservoir both = reservoir;
      both.merge(later);
      ASSERT_EQ(items_of(both), expected) << cut;
      add(reservoir, weights, 0, cut);
      ASSERT_EQ(items_of(reservoir), expected) << cut;
    }
  }
}

TEST_F(WeightedReservoirTest, IsTheWholeRowInManyPieces) {
  std::mt19937_64 generator(2);
  const std::vector<double> weights = random_weights<double>(60'000, 2, 0.05);
  for (const std::int64_t k : {7, 500}) {
    const auto expected = of_the_row(weights, k, {.seed = 1});
    std::vector<std::pair<std::size_t, std::size_t>> pieces;
    for (std::size_t at = 0; at < weights.size();) {
      const std::size_t end = std::min(weights.size(), at + 1 + generator() % 700);
      pieces.emplace_back(at, end);
      at = end;
    }
    std::shuffle(pieces.begin(), pieces.end(), generator);
    std::vector<WeightedReservoir> reservoirs(3, WeightedReservoir(k, {.seed = 1}));
    for (const auto& [begin, end] : pieces) add(reservoirs[generator() % 3], weights, begin, end);
    reservoirs[0].merge(reservoirs[1]);
    reservoirs[2].merge(reservoirs[0]);
    EXPECT_EQ(items_of(reservoirs[2]), expected);
    add(reservoirs[2], weights, 0, weights.size());  // each item again: it counts once
    reservoirs[2].merge(reservoirs[2]);
    EXPECT_EQ(items_of(reservoirs[2]), expected);
  }
}

TEST_F(WeightedReservoirTest, NumbersMayBeLargeAndWeightsFloat) {
  const std::vector<float> weights = random_weights<float>(1000, 3);
  const std::vector<double> wide(weights.begin(), weights.end());
  for (const std::int64_t base :
       {(std::int64_t{1} << 34) - 300, std::int64_t{1} << 50, (std::int64_t{1} << 62) - 1000}) {
    WeightedReservoir whole(20), pieces(20), doubles(20);
    add(whole, weights, 0, 1000, base);
    add(doubles, wide, 0, 1000, base);
    for (std::size_t at = 0; at < 1000; at += 50) add(pieces, weights, at, at + 50, base);
    EXPECT_EQ(items_of(whole), items_of(pieces));
    EXPECT_EQ(items_of(whole), items_of(doubles));
    for (const std::int64_t item : items_of(whole)) EXPECT_TRUE(base <= item && item < base + 1000);
  }
  WeightedReservoir reservoir(2);
  EXPECT_NE(message_of([&] { add(reservoir, weights, 0, 1000, (std::int64_t{1} << 62) - 999); }), "");
  EXPECT_NE(message_of([&] { add(reservoir, weights, 0, 1000, -1); }), "");
}

TEST_F(WeightedReservoirTest, ACallThatThrowsChangesNothing) {
  std::vector<double> weights = random_weights<double>(1000, 4);
  WeightedReservoir reservoir(5);
  add(reservoir, weights, 0, 500);
  const auto before = reservoir.to_bytes();
  weights[999] = std::nan("");
  EXPECT_EQ(message_of([&] { add(reservoir, weights, 500, 1000); }),
            "papilio::WeightedReservoir::add: weights must be finite and >= 0; item 999 weighs nan");
  EXPECT_NE(message_of([&] { reservoir.merge(WeightedReservoir(5, {.seed = 1})); }), "");
  EXPECT_NE(message_of([&] { reservoir.merge(WeightedReservoir(6)); }), "");
  EXPECT_EQ(reservoir.to_bytes(), before);
}

TEST_F(WeightedReservoirTest, BytesBringTheStateBack) {
  const std::vector<double> weights = random_weights<double>(3000, 5);
  WeightedReservoir reservoir(40, {.seed = 1, .stream = 2, .row_id = 3});
  EXPECT_EQ(items_of(WeightedReservoir::from_bytes(reservoir.to_bytes())).size(), 0u);
  add(reservoir, weights, 0, 1500);
  WeightedReservoir back = WeightedReservoir::from_bytes(reservoir.to_bytes());
  EXPECT_EQ(back.to_bytes(), reservoir.to_bytes());
  EXPECT_EQ(back.options().row_id, 3u);
  add(back, weights, 1500, 3000);
  add(reservoir, weights, 1500, 3000);
  EXPECT_EQ(items_of(back), items_of(reservoir));
}

TEST_F(WeightedReservoirTest, BytesThatNobodyWroteAreRefused) {
  const std::vector<double> weights = random_weights<double>(100, 6);
  WeightedReservoir reservoir(8, {.seed = 1});
  add(reservoir, weights, 0, 100);
  const std::vector<std::byte> bytes = reservoir.to_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(WeightedReservoir::from_bytes(std::span(bytes).first(size)), InvalidArgument) << size;
  std::mt19937_64 generator(7);
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {  // whatever is taken is a reservoir
    std::vector<std::byte> changed = bytes;
    for (int flips = 0; flips < 2; ++flips)
      changed[generator() % changed.size()] ^= static_cast<std::byte>(1u << generator() % 8);
    try {
      WeightedReservoir read = WeightedReservoir::from_bytes(changed);
      ASSERT_EQ(items_of(read).size(), 8u);
      ASSERT_EQ(read.to_bytes(), changed);
      add(read, weights, 0, 100);
      ++taken;
    } catch (const InvalidArgument&) {
    }
  }
  EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace papilio
