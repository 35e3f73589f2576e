// Rows whose filters keep what is near the largest logit, and rows for which that is not enough, against the CPU: bit
// by bit.

#include <cmath>

#include "cuda/hard_token_rows.h"

namespace papilio::testing {
namespace {

template <class S>
class CudaNearTokens : public CudaTest {};
TYPED_TEST_SUITE(CudaNearTokens, TokenTypes);

using Filter = TokenFilterOfAll;
constexpr Filter filters[] = {{0, 0.9f, 0},      {0, 0.5f, 0.1f}, {0, 1, 0.05f},       {0, 0.999f, 0},  {0, 0, 0},
                              {0, 1e-9f, 1e-4f}, {300, 1, 0},     {1024, 0.9f, 1e-3f}, {2048, 0.99f, 0}};

// So many rows take the kernel on every device that has it.
constexpr std::int64_t many = 240;

// Rows of which all is collected, and longer ones; few rows, which other kernels take or blocks share, and many.
TYPED_TEST(CudaNearTokens, OfEverySize) {
  for (const std::int64_t categories : {2, 130, 1000, 4992, 4993, 16389, 33003, 131072, 300007})
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{9}, many}) {
      if (count * categories > 4200000) continue;
      const auto rows = normal_rows<TypeParam>(count, categories, 2, static_cast<std::uint64_t>(categories));
      for (const Filter& f : filters) ASSERT_TRUE(same_by(rows, f)) << count << " rows of " << categories;
    }
}

// From flat rows to those of which one category has nearly all of the mass. Fewer rows are shared by several blocks.
TYPED_TEST(CudaNearTokens, FlatAndPeaked) {
  for (const double scale : {0.01, 0.5, 1.0, 3.0, 20.0}) {
    TokenRows<TypeParam> rows = normal_rows<TypeParam>(many, 20000, scale, 5);
    for (const Filter& f : filters) ASSERT_TRUE(same_by(rows, f)) << "scale " << scale;
    rows = normal_rows<TypeParam>(120, 40000, scale, 6);
    rows.joint = true;
    for (const std::int32_t k : {0, 50, 2000}) ASSERT_TRUE(same_by(rows, {k, 0.7f, 0})) << "scale " << scale;
  }
  const auto rows = normal_rows<TypeParam>(many, 12000, 3, 6);
  for (const float temperature : {0x1p-100f, 1e-6f, 0.05f, 3.0f, 1e6f, 0x1p100f})
    for (const Filter& f : {filters[0], filters[1], filters[2], filters[7]})
      ASSERT_TRUE(same_by(rows, f, temperature)) << "temperature " << temperature;
}

TYPED_TEST(CudaNearTokens, LongRows) {
  const auto rows = normal_rows<TypeParam>(120, 131072, 3, 8);
  for (const Filter& f : {filters[0], filters[1], filters[7]}) ASSERT_TRUE(same_by(rows, f));
  ASSERT_TRUE(same_by(normal_rows<TypeParam>(10, 300007, 3, 8), filters[6]));
}

// Rows that keep more than one kind of block collects: with 40,000 categories 0.05 to 0.5 of the mass have about 1,300
// to 18,000 of them. Of 70 and of 120 rows each is shared by two of the larger blocks. In the end rows of all sizes are
// in one call.
TYPED_TEST(CudaNearTokens, KeepMany) {
  for (const std::int64_t count : {std::int64_t{70}, std::int64_t{120}, many}) {
    auto rows = normal_rows<TypeParam>(count, 40000, 0.2, static_cast<std::uint64_t>(count));
    for (const float top_p : {0.05f, 0.2f, 0.3f, 0.5f}) ASSERT_TRUE(same_by(rows, {0, top_p, 0})) << count << " rows";
    ASSERT_TRUE(same_by(rows, {0, 0.9f, 0.4f})) << count << " rows";
    rows = filtered(rows, 0.8f, 0, 0.05f, 0);
    for (std::int64_t row = 1; row < count; ++row) rows.top_p.push_back(0.05f * static_cast<float>(1 + row % 10));
    rows.room = 10000;
    ASSERT_TRUE(same_tokens(rows)) << count << " rows";
  }
}

// Rows with masks, those with a small top_k as well; wherever a row begins and so a line's bits are within two words of
// its mask. What is wrong with a logit that is not allowed does not count.
TYPED_TEST(CudaNearTokens, Masks) {
  const Filter small[] = {{50, 0.9f, 0.01f}, {1, 1, 0}, {128, 1, 0}};
  for (const std::int64_t categories : {1000, 4993, 16389, 40001})
    for (const std::int64_t count : {std::int64_t{9}, std::int64_t{120}, many})
      for (const double share : {0.9, 0.5, 0.001}) {
        if (count * categories > 5000000) continue;
        auto rows = normal_rows<TypeParam>(count, categories, 1, static_cast<std::uint64_t>(categories));
        allow(rows, share, 5);
        for (const Filter& f : filters) ASSERT_TRUE(same_by(rows, f)) << count << " x " << categories << ", " << share;
        for (const Filter& f : small) ASSERT_TRUE(same_by(rows, f)) << count << " x " << categories << ", " << share;
      }
  for (std::int64_t offset = 0; offset < 8; ++offset) {
    auto rows = normal_rows<TypeParam>(many, 12003, 2, 4);
    allow(rows, 0.6, 6);
    for (const Filter& f : {filters[0], filters[2], small[0]}) ASSERT_TRUE(same_by(rows, f, 0.8f, offset)) << offset;
  }
  auto hard = hard_rows<TypeParam>(300, 12001, 0);
  allow(hard, 0.5, 7);
  for (const Filter& f : filters) ASSERT_TRUE(same_by(hard, f, 0.7f));
  for (const Filter& f : small) ASSERT_TRUE(same_by(hard, f, 0.7f));
  hard.room = 40;
  ASSERT_TRUE(same_by(hard, small[0], 0.7f));
}

// Wherever a row begins and ends within 16 bytes.
TYPED_TEST(CudaNearTokens, FromEveryPlace) {
  for (std::int64_t categories = 8189; categories < 8198; ++categories) {
    const auto rows = normal_rows<TypeParam>(120, categories, 3, static_cast<std::uint64_t>(categories));
    for (std::int64_t offset = 0; offset < 8; offset += categories % 2 + 1)
      ASSERT_TRUE(same_by(rows, filters[0], 0.8f, offset)) << categories << " from " << offset;
  }
}

// A block draws from several rows, one after another, and so do the clusters that take what is left.
TYPED_TEST(CudaNearTokens, HardRows) {
  const auto hard = hard_rows<TypeParam>(900, 12001, 0);
  for (const Filter& f : filters) ASSERT_TRUE(same_by(hard, f, 0.7f));
  const auto shared = hard_rows<TypeParam>(120, 30001, 0);
  for (const Filter& f : {filters[0], filters[3], filters[7]}) ASSERT_TRUE(same_by(shared, f, 0.7f));
}

TYPED_TEST(CudaNearTokens, FiltersPerRow) {
  auto rows = filtered(normal_rows<TypeParam>(600, 13000, 1.5, 7), 0.8f, 0, 0.9f, 0);
  for (std::int32_t row = 1; row < 600; ++row) {
    rows.temperature.push_back(row % 11 == 0 ? 0.0f : 0.6f);
    rows.top_k.push_back(row % 5 * 200 - (row % 97 == 0 ? 1000 : 0));
    rows.top_p.push_back(row % 7 == 0 ? 1.0f : 0.93f);
    rows.min_p.push_back(row % 13 == 0 ? 0.02f : 0.0f);
  }
  ASSERT_TRUE(same_tokens(rows));
}

// More room than the kept set takes, and less; categories with more than one bit at a time.
TYPED_TEST(CudaNearTokens, RoomForTheKeptSet) {
  for (const std::int64_t categories : {4001, 30001, 150001})
    for (const std::int64_t room : {1, 30, 1000}) {
      auto rows = normal_rows<TypeParam>(categories > 100000 ? 10 : 120, categories, 2, 3);
      rows.room = room;
      ASSERT_TRUE(same_by(rows, filters[0])) << categories << " categories, room " << room;
      ASSERT_TRUE(same_by(rows, filters[7])) << categories << " categories, room " << room;
    }
}

// top_p asks for just what some equal logits have, or hardly more or less: there a rough sum of the others leaves a
// doubt.
TYPED_TEST(CudaNearTokens, OnBothSidesOfABorder) {
  constexpr std::int64_t categories = 20001;
  for (const double depth : {-4.0, -6.0, -12.0}) {
    TokenRows<TypeParam> rows = {120, categories};
    for (std::int64_t row = 0; row < rows.rows; ++row)
      for (std::int64_t k = 0; k < categories; ++k)
        rows.logits.push_back(stored<TypeParam>(k % 100 == 0 ? 0.0 : depth));
    const double near = 201, all = near + (categories - near) * std::exp(depth / 0.7);
    for (const double kept : {1.0, 100.0, 150.0, 200.0, 201.0}) {
      rows = filtered(rows, 0.7f, 0, static_cast<float>(kept / all), 0);
      for (int row = 1; row < 120; ++row)
        rows.top_p.push_back(static_cast<float>(kept / all) * (1 + static_cast<float>(row % 8 - 4) * 0x1p-23f));
      ASSERT_TRUE(same_tokens(rows)) << "depth " << depth << ", " << kept << " kept";
    }
  }
}

}  // namespace
}  // namespace papilio::testing
