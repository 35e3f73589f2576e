#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "collective/draw_slots.h"
#include "collective/real_weights.h"
#include "support/oracle.h"
#include "warp/native_warp.h"

// Every value of a 24-bit u, in rows small enough to know the answer to each: no
// weight of 0 is ever drawn, and the draws that miss the exact category are few.

namespace papilio::collective {
namespace {

using W = warp::NativeWarp<float>;
using testing::WeightRow;

#if defined(__SANITIZE_ADDRESS__)
constexpr int every = 16;  // enough for what a sanitizer sees
#else
constexpr int every = 1;
#endif
constexpr int values = (1 << 24) / every;

struct Outcome {
  std::int64_t missed = 0;          // not the category of exact arithmetic
  std::int64_t zero_weights = 0;    // a category of weight 0
  std::vector<std::int64_t> count;  // draws of each category
  std::vector<std::int64_t> exact;  // what they should be
};

// Draws by the searching half of draw_slots: the sums of a row do not depend on u.
Outcome draw_every_value(const WeightRow<float>& row) {
  const auto walk = testing::slot_walk(row.size());
  const testing::ExactIntervals<float> intervals(row, walk);
  std::size_t place = 0;  // in the walk, of the exact category of the last u
  const testing::SlotOrder<float> order(row);
  const float* pointers[W::width];
  std::int64_t sizes[W::width], segment[W::width] = {};
  for (int q = 0; q < W::width; ++q) pointers[q] = row.left.data(), sizes[q] = row.size();
  const PlainRows<float> rows{pointers, sizes};
  Lanes<W, float> sums[groups<W>][W::width];
  for (int q = 0; q < W::width; ++q) {
    IgnoreSigns signs;
    Lanes<W, float> of_row[groups<W>];
    add_lanes<W>(rows, q, 0, row.size(), signs, of_row);
    for (int g = 0; g < groups<W>; ++g) sums[g][q] = of_row[g];
  }
  const LaneTree<W, float> tree(sums);

  Outcome outcome;
  outcome.count.assign(row.left.size(), 0);
  outcome.exact.assign(row.left.size(), 0);
  for (int i = 0; i < values; i += W::width) {
    double target[W::width];
    for (int q = 0; q < W::width; ++q) target[q] = (i + q) * every * 0x1p-24 * order.total();
    std::int64_t category[W::width];
    find_in_segment<W>(rows, tree, W::load(target), segment, category);
    for (int q = 0; q < W::width; ++q) {
      const long double exact = (i + q) * every * 0x1p-24L * intervals.total();
      while (place + 1 < walk.size() && exact >= intervals.boundaries()[place]) ++place;
      const std::int64_t right = walk[place];
      outcome.missed += category[q] != right ? 1 : 0;
      outcome.zero_weights += row.weight(category[q]) > 0 ? 0 : 1;
      ++outcome.count[static_cast<std::size_t>(category[q])];
      ++outcome.exact[static_cast<std::size_t>(right)];
    }
  }
  return outcome;
}

// Totals that are powers of two: nothing rounds, so nothing may miss.
TEST(EveryUniform, IsExactWhereSumsAreExact) {
  for (const std::vector<float>& weights :
       {std::vector<float>{1, 0, 3}, std::vector<float>{0, 0.5f, 0, 0.25f, 0.25f, 0, 1},
        std::vector<float>{0, 1, 1, 0, 2, 4, 8, 16, 0, 0, 32, 64, 0, 128, 128, 0,
                           0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0,  0,  0, 0,   64,  64}}) {
    const Outcome outcome = draw_every_value({weights});
    EXPECT_EQ(outcome.missed, 0);
    EXPECT_EQ(outcome.zero_weights, 0);
    EXPECT_EQ(outcome.count, outcome.exact);
  }
}

// The total and the sums that place a boundary are off by a rounding or two each,
// and one rounding is up to 2^-24 of a sum that is just above a power of two. So a
// boundary moves by up to about 2^-24 of the total, which is one of the values of u,
// mostly by less: at most one draw a boundary is missed. (7 at K = 32 and 12 at
// K = 128 for totals less unlucky than these.)
TEST(EveryUniform, MissesFewOfRealWeights) {
  std::mt19937_64 bits(32);
  for (const std::int64_t categories : {7, 32, 128}) {
    for (const testing::Weights kind : {testing::Weights::uniform, testing::Weights::sparse}) {
      if (categories == 7 && kind == testing::Weights::sparse) continue;
      const Outcome outcome = draw_every_value(testing::real_row<float>(kind, false, categories, bits));
      EXPECT_EQ(outcome.zero_weights, 0) << categories;
      EXPECT_LE(outcome.missed, categories) << categories;
      RecordProperty("missed_of_" + std::to_string(categories), static_cast<int>(outcome.missed));
      for (std::size_t k = 0; k < outcome.count.size(); ++k)
        EXPECT_LE(std::abs(outcome.count[k] - outcome.exact[k]), outcome.missed) << k;
    }
  }
}

}  // namespace
}  // namespace papilio::collective
