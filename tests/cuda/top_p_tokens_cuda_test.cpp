// Few rows with top_p, which the blocks of a cluster draw from by histograms, against the CPU: bit by bit. Up to 30
// rows of up to 262,144 categories are drawn from in this way by the kernel for few rows, others by kernels of their
// own.

#include <cmath>

#include "cuda/hard_token_rows.h"

namespace papilio::testing {
namespace {

template <class S>
class CudaTopPTokens : public CudaTest {};
TYPED_TEST_SUITE(CudaTopPTokens, TokenTypes);

class CudaTopPTokenWeights : public CudaTest {};

// The last three cut by min_p as well; one of them before top_p does.
constexpr TokenFilterOfAll filters[] = {{0, 0.9f, 0},    {0, 0.999f, 0},    {0, 0, 0},
                                        {0, 0.5f, 0.1f}, {0, 0.95f, 0.05f}, {0, 1e-9f, 1e-4f}};

// Clusters of eight blocks (those of the kernel for few rows but for the longest), four and two; lengths from just
// below the least on.
TYPED_TEST(CudaTopPTokens, OfEverySize) {
  for (const std::int64_t categories : {16384, 16385, 20011, 33003, 131072, 300007})
    for (const std::int64_t count : {1, 9, 40, 64}) {
      if (count * categories > 3000000) continue;
      const auto rows = normal_rows<TypeParam>(count, categories, 2, static_cast<std::uint64_t>(categories));
      for (const TokenFilterOfAll& f : filters) ASSERT_TRUE(same_by(rows, f)) << count << " rows of " << categories;
    }
  // At temperature 1 a rough sum of the others leaves a doubt, by estimate about one row in 40.
  const auto rows = normal_rows<TypeParam>(64, 131072, 3, 8);
  ASSERT_TRUE(same_by(rows, filters[0], 1.0f));
}

// Parts just below and above the largest of which eight blocks make lists: the last block's is shorter. Of four blocks
// the largest; rows that begin elsewhere would have a longer part, and have two larger blocks.
TYPED_TEST(CudaTopPTokens, LongParts) {
  for (const std::int64_t categories : {524280, 524288, 524289, 524300, 524400})
    for (const std::int64_t offset : {0, 3})
      ASSERT_TRUE(same_by(normal_rows<TypeParam>(1, categories, 2, 4), filters[0], 0.8f, offset)) << categories;
  const auto four = normal_rows<TypeParam>(40, 262144, 2, 4);
  for (const std::int64_t offset : {0, 1}) ASSERT_TRUE(same_by(four, filters[0], 0.8f, offset)) << offset;
}

// A call that asks for the kept mass is drawn from on chip; the same call without it by top_p.
TYPED_TEST(CudaTopPTokens, Masses) {
  auto rows = filtered(normal_rows<TypeParam>(9, 20011, 2, 3), 0.8f, 0, 0.9f, 0);
  rows.masses = true;
  ASSERT_TRUE(same_tokens(rows));
  rows.min_p = {0.1f};
  ASSERT_TRUE(same_tokens(rows));
}

// From flat rows to those of which one category has nearly all of the mass. Of 64 flat rows of 60,000 a block has no
// room to list its logits. Flat rows also put many keys into the bin of the cut, so that it is divided, and divided
// again.
TYPED_TEST(CudaTopPTokens, FlatAndPeaked) {
  for (const double scale : {0.001, 0.01, 0.2, 1.0, 3.0, 20.0})
    for (const std::int64_t count : {3, 64}) {
      const auto rows = normal_rows<TypeParam>(count, 60000, scale, 5);
      for (const TokenFilterOfAll& f : filters) ASSERT_TRUE(same_by(rows, f)) << count << " rows, scale " << scale;
    }
  const auto rows = normal_rows<TypeParam>(12, 20000, 3, 6);
  for (const float temperature : {0x1p-100f, 1e-6f, 0.05f, 3.0f, 1e6f, 0x1p100f})
    for (const TokenFilterOfAll& f : filters) ASSERT_TRUE(same_by(rows, f, temperature)) << temperature;
}

// So many logits are near the largest that blocks have no room to list them, or the cut is far from it: it is looked
// for in a window. Clusters of eight blocks, four and two.
TYPED_TEST(CudaTopPTokens, Windows) {
  struct Shape {
    std::int64_t rows, categories;
  };
  for (const Shape shape : {Shape{2, 151936}, Shape{40, 60000}, Shape{64, 60000}}) {
    auto rows = normal_rows<TypeParam>(shape.rows, shape.categories, 1, 12);
    for (const TokenFilterOfAll& f : filters)
      for (const float temperature : {0.8f, 3.0f}) ASSERT_TRUE(same_by(rows, f, temperature)) << shape.rows << " rows";
    for (const std::int64_t offset : {1, 6}) ASSERT_TRUE(same_by(rows, filters[0], 3, offset)) << shape.rows << " rows";
    allow(rows, 0.7, 4);
    for (const TokenFilterOfAll& f : {filters[0], filters[3], TokenFilterOfAll{0, 0.97f, 0.2f}})
      ASSERT_TRUE(same_by(rows, f, 3)) << shape.rows << " rows with masks";
  }
}

// Parts of more than 65,536 logits, which smaller blocks do not list. (The limit of two, 524,288 categories, takes too
// long on a CPU.)
TYPED_TEST(CudaTopPTokens, LongPartsOfTwoBlocks) {
  ASSERT_TRUE(same_by(normal_rows<TypeParam>(64, 131072, 2, 4), filters[0], 0.8f, 1));
  const auto rows = normal_rows<TypeParam>(64, 151936, 1, 9);
  for (const float temperature : {0.3f, 3.0f})
    ASSERT_TRUE(same_without_order(filtered(rows, temperature, 0, 0.9f, 0))) << "temperature " << temperature;
  ASSERT_TRUE(same_without_order(filtered(normal_rows<TypeParam>(64, 262144, 1, 9), 0.4f, 0, 0.9f, 0)));
}

// A sample misleads: it may miss the largest logits, the window's are in few blocks, or adjacent ones are alike.
TYPED_TEST(CudaTopPTokens, WindowsGuessedWrongly) {
  constexpr std::int64_t categories = 100003;
  const auto logit_of = [](int kind, std::int64_t k) {
    const double noise = std::sin(static_cast<double>(k) * 12.9898);
    switch (kind) {
      case 0:
        return k % 9973 == 77 ? 9.0 : noise;
      case 1:
        return k < 15000 ? 1 + 0.01 * noise : -1 + noise;
      case 2:
        return std::cos(static_cast<double>(k / 500));
      case 3:
        return static_cast<double>(k) * 3e-5;
      case 4:
        return k % 3 == 0 ? 0.0 : -1e-3 * static_cast<double>(k % 7);
      default:
        return k / 128 % 4 == 1 ? 2.0 : noise;  // a sample has all of these or none, by type and block
    }
  };
  for (const std::int64_t count : {6, 64}) {
    TokenRows<TypeParam> rows = {count, categories};
    for (std::int64_t row = 0; row < count; ++row)
      for (std::int64_t k = 0; k < categories; ++k)
        rows.logits.push_back(stored<TypeParam>(logit_of(static_cast<int>(row % 6), k)));
    for (const float top_p : {0.2f, 0.9f, 0.999f})
      for (const float temperature : {0.25f, 2.0f})
        ASSERT_TRUE(same_without_order(filtered(rows, temperature, 0, top_p, 0))) << count << " rows, top_p " << top_p;
  }
}

// top_p asks for just what some equal logits have, or hardly more or less. If it asks for more, the others are farther
// away than the first histogram reaches.
TYPED_TEST(CudaTopPTokens, OnBothSidesOfABorder) {
  constexpr std::int64_t categories = 20001;
  for (const double depth : {-4.0, -6.0, -12.0}) {
    TokenRows<TypeParam> rows = {40, categories};
    for (std::int64_t row = 0; row < rows.rows; ++row)
      for (std::int64_t k = 0; k < categories; ++k)
        rows.logits.push_back(stored<TypeParam>(k % 100 == 0 ? 0.0 : depth + static_cast<double>(k % 7) / 8));
    double far = 0;
    for (std::int64_t k = 0; k < categories; ++k)
      if (k % 100 != 0) far += std::exp((depth + static_cast<double>(k % 7) / 8) / 0.7);
    for (const double kept : {1.0, 100.0, 200.0, 201.0, 201.0 + far / 2}) {
      rows = filtered(rows, 0.7f, 0, static_cast<float>(kept / (201 + far)), 0);
      for (int row = 1; row < 40; ++row)
        rows.top_p.push_back(static_cast<float>(kept / (201 + far)) * (1 + static_cast<float>(row % 8 - 4) * 0x1p-23f));
      ASSERT_TRUE(same_tokens(rows)) << "depth " << depth << ", " << kept << " kept";
    }
  }
}

// The second logit is larger than the third, but weighs less: min_p drops it alone.
TEST_F(CudaTopPTokenWeights, LargerLogitThatWeighsLess) {
  constexpr std::int64_t categories = 20001;
  TokenRows<float> rows = {60, categories};
  rows.logits.assign(static_cast<std::size_t>(rows.rows * categories), -20);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    float* const logits = &rows.logits[static_cast<std::size_t>(row * categories)];
    logits[100] = 0, logits[7000] = -0x1.333418p-2f, logits[19000] = -0x1.33341ap-2f;
  }
  ASSERT_TRUE(same_tokens(filtered(rows, 1, 0, 0.99f, 0x1.7b4c32p-1f)));
}

// Invalid logits, many ties, large logits in one block.
TYPED_TEST(CudaTopPTokens, HardRows) {
  for (const std::int64_t count : {22, 64}) {
    auto hard = hard_rows<TypeParam>(count, 20001, 0);
    for (const TokenFilterOfAll& f : filters) ASSERT_TRUE(same_by(hard, f, 0.7f)) << count << " rows";
    allow(hard, 0.5, 7);
    for (const TokenFilterOfAll& f : filters) ASSERT_TRUE(same_by(hard, f, 0.7f)) << count << " rows with masks";
  }
}

// Wherever a row begins and ends within 16 bytes, with masks as well.
TYPED_TEST(CudaTopPTokens, FromEveryPlace) {
  for (std::int64_t categories = 20000; categories < 20009; ++categories) {
    auto rows = normal_rows<TypeParam>(3, categories, 3, static_cast<std::uint64_t>(categories));
    for (std::int64_t offset = 0; offset < 8; ++offset)
      ASSERT_TRUE(same_by(rows, filters[0], 0.8f, offset)) << categories << " from " << offset;
    allow(rows, 0.6, 6);
    for (std::int64_t offset = 0; offset < 8; ++offset)
      ASSERT_TRUE(same_by(rows, filters[0], 0.8f, offset)) << categories << " from " << offset << ", with masks";
  }
}

TYPED_TEST(CudaTopPTokens, Masks) {
  for (const std::int64_t count : {1, 40, 64})
    for (const double share : {0.9, 0.5, 0.001, 0.0}) {
      auto rows = normal_rows<TypeParam>(count, 20011, 2, 11);
      allow(rows, share, 5);
      for (const TokenFilterOfAll& f : filters) ASSERT_TRUE(same_by(rows, f)) << count << " rows, " << share;
    }
  auto longest = normal_rows<TypeParam>(1, 270001, 2, 11);
  allow(longest, 0.5, 5);
  ASSERT_TRUE(same_by(longest, filters[0]));
}

// More room than the kept set takes, and less.
TYPED_TEST(CudaTopPTokens, RoomForTheKeptSet) {
  for (const std::int64_t room : {1, 30, 1000, 9000})
    for (const std::int64_t count : {2, 40, 64}) {
      auto rows = normal_rows<TypeParam>(count, 20011, 1, 3);
      rows.room = room;
      rows.ranks = false;
      ASSERT_TRUE(same_by(rows, filters[0])) << count << " rows, room " << room;
      ASSERT_TRUE(same_by(rows, filters[4])) << count << " rows, room " << room;
    }
}

// Some rows have top_p, others have another filter or a bad one.
TYPED_TEST(CudaTopPTokens, FiltersPerRow) {
  for (const std::int32_t count : {12, 40, 64}) {
    auto rows = filtered(normal_rows<TypeParam>(count, 20011, 1.5, 7), 0.8f, 0, 0.9f, 0);
    for (std::int32_t row = 1; row < count; ++row) {
      rows.temperature.push_back(row % 11 == 0 ? 0.0f : row % 10 == 0 ? 0x1p100f : 0.6f);
      rows.top_k.push_back(row % 5 == 0 ? 30 * (row % 4) : 0);
      rows.top_p.push_back(row % 7 == 0 ? 1.0f : row % 23 == 0 ? -1.0f : 0.93f);
      rows.min_p.push_back(row % 13 == 0 ? 0.02f : 0.0f);
    }
    ASSERT_TRUE(same_tokens(rows)) << count << " rows";
    allow(rows, 0.5, 7);
    ASSERT_TRUE(same_tokens(rows)) << count << " rows with masks";
  }
}

}  // namespace
}  // namespace papilio::testing
