// Rows of which top_p keeps more than a block can collect near the largest logit, against the CPU: bit by bit.

#include <cmath>

#include "cuda/hard_token_rows.h"

namespace papilio::testing {
namespace {

template <class S>
class CudaFlatTokens : public CudaTest {};
TYPED_TEST_SUITE(CudaFlatTokens, TokenTypes);

using Filter = TokenFilterOfAll;
constexpr Filter filters[] = {{0, 0.9f, 0}, {0, 0.5f, 0.001f}, {0, 0.99f, 0}, {0, 0.3f, 0.2f}, {0, 0.9999f, 0}};

// So many rows take the kernel on every device that has it. Two blocks share each of fewer rows; from 32,768 categories
// on, four. An H200 takes the kernel from 67 rows on.
constexpr std::int64_t many = 240, shared = 120, few = 70;

template <class S>
::testing::AssertionResult same(const TokenRows<S>& rows, const Filter& f, float temperature, std::int64_t offset = 0) {
  return same_without_order(filtered(rows, temperature, f.top_k, f.top_p, f.min_p), offset)
         << ": top_p " << f.top_p << ", min_p " << f.min_p << ", temperature " << temperature;
}

// From rows that are just too flat to be collected to those with nearly equal weights.
TYPED_TEST(CudaFlatTokens, OfEverySize) {
  for (const std::int64_t categories : {16383, 16384, 16389, 33003})
    for (const std::int64_t count : {few, shared, many}) {
      const auto rows = normal_rows<TypeParam>(count, categories, 0.5, static_cast<std::uint64_t>(categories));
      for (const Filter& f : filters)
        for (const float temperature : {0.3f, 3.0f})
          ASSERT_TRUE(same(rows, f, temperature)) << count << " rows of " << categories;
    }
}

// Segments in which weights are summed; rough sums that leave the cut in doubt.
TYPED_TEST(CudaFlatTokens, LongRows) {
  for (const std::int64_t categories : {131072, 262147, 524288}) {
    const auto rows = normal_rows<TypeParam>(categories > 131072 ? few : shared, categories, 1, 8);
    for (const float top_p : {0.7f, 0.9f, 0.95f})
      ASSERT_TRUE(same(rows, {0, top_p, 0}, 1)) << categories << " categories";
  }
}

// Clusters with more than one row.
TYPED_TEST(CudaFlatTokens, ManyRows) {
  const auto rows = normal_rows<TypeParam>(1300, 16390, 0.4, 3);
  for (const Filter& f : {filters[0], filters[1]}) ASSERT_TRUE(same(rows, f, 0.8f));
}

// Wherever a row begins and ends within 16 bytes.
TYPED_TEST(CudaFlatTokens, FromEveryPlace) {
  for (std::int64_t categories = 20473; categories < 20489; categories += 3) {
    const auto rows = normal_rows<TypeParam>(shared, categories, 0.5, static_cast<std::uint64_t>(categories));
    for (std::int64_t offset = 0; offset < 8; offset += categories % 2 + 1)
      ASSERT_TRUE(same(rows, filters[0], 0.8f, offset)) << categories << " from " << offset;
  }
}

TYPED_TEST(CudaFlatTokens, Masks) {
  for (const std::int64_t count : {shared, many})
    for (const double share : {0.9, 0.4, 0.01}) {
      auto rows = normal_rows<TypeParam>(count, 33003, 0.3, 5);
      allow(rows, share, 5);
      for (const Filter& f : filters) ASSERT_TRUE(same(rows, f, 0.8f)) << count << " rows, share " << share;
    }
}

// Rows with one large logit are drawn from near it. If few others are left over, they are drawn from on chip.
TYPED_TEST(CudaFlatTokens, SomeOfTheRows) {
  for (const std::int64_t count : {shared, many})
    for (const std::int64_t flat : {1, 47, 48, 100}) {
      auto rows = normal_rows<TypeParam>(count, 20001, 0.5, 7);
      for (std::int64_t row = 0; row < count - flat; ++row)
        rows.logits[static_cast<std::size_t>(row * 20001 + row * 83)] = stored<TypeParam>(40.0);
      ASSERT_TRUE(same(rows, filters[0], 0.8f)) << flat << " of " << count;
    }
}

// Logits of few values: more are equal at the cut than can be collected.
TYPED_TEST(CudaFlatTokens, EqualLogits) {
  for (const int values : {1, 3, 40, 1000}) {
    TokenRows<TypeParam> rows = {many, 20001};
    std::mt19937_64 bits(2);
    for (std::int64_t n = 0; n < many * 20001; ++n)
      rows.logits.push_back(stored<TypeParam>(0.002 * static_cast<double>(bits() % static_cast<unsigned>(values))));
    for (const Filter& f : filters) ASSERT_TRUE(same(rows, f, 0.8f)) << values << " values";
  }
}

TYPED_TEST(CudaFlatTokens, HardRows) {
  for (const std::int64_t count : {shared, std::int64_t{300}}) {
    const auto hard = hard_rows<TypeParam>(count, 17001, 0);
    for (const float temperature : {0x1p-100f, 0.7f, 50.0f, 0x1p100f})
      ASSERT_TRUE(same(hard, filters[0], temperature)) << count << " rows";
  }
}

TYPED_TEST(CudaFlatTokens, FiltersPerRow) {
  for (const std::int64_t count : {shared, std::int64_t{600}}) {
    auto rows = filtered(normal_rows<TypeParam>(count, 17003, 0.5, 7), 0.8f, 0, 0.9f, 0);
    for (std::int32_t row = 1; row < count; ++row) {
      rows.temperature.push_back(row % 11 == 0 ? 0.0f : 0.05f * static_cast<float>(1 + row % 20));
      rows.top_k.push_back(row % 5 == 0 ? 200 : 0);
      rows.top_p.push_back(row % 7 == 0 ? 1.0f : 0.5f + 0.004f * static_cast<float>(row % 120));
      rows.min_p.push_back(row % 13 == 0 ? 0.02f : 0.0f);
    }
    ASSERT_TRUE(same_without_order(rows)) << count << " rows";
    rows.room = 30;
    ASSERT_TRUE(same_tokens(rows)) << count << " rows with lists";
  }
}

}  // namespace
}  // namespace papilio::testing
