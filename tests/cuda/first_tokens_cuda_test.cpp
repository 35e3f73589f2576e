// Rows whose draw is among the first few, by every way of finding these, against the CPU: bit by bit.

#include <algorithm>

#include "cuda/hard_token_rows.h"

namespace papilio::testing {
namespace {

template <class S>
class CudaFirstTokens : public CudaTest {};
TYPED_TEST_SUITE(CudaFirstTokens, TokenTypes);

TYPED_TEST(CudaFirstTokens, OfEverySize) {
  for (const std::int64_t categories : {2, 5, 31, 100, 127, 129, 1000, 4099, 16384, 33003, 70001, 131072, 300007})
    for (const std::int64_t count : {1, 3, 40}) {
      if (count * categories > 500000) continue;
      const TokenRows<TypeParam> rows =
          random_rows<TypeParam>(count, categories, static_cast<std::uint64_t>(categories + count));
      for (const std::int32_t k : {1, 2, 7, 50, 64, 127, 128, 129, 300}) {
        ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, k, 0.9f, 0.01f), k % 8)) << categories << ", top_k " << k;
        ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, k, 1, 0), k % 5)) << categories << ", top_k " << k << " alone";
      }
      ASSERT_TRUE(same_tokens(filtered(rows, 0, 0, 1, 0))) << categories << ", temperature 0";
      ASSERT_TRUE(same_tokens(filtered(rows, 0, 0, 1, 0), 1)) << categories << ", temperature 0, from another place";
    }
}

// As many categories as fit in the registers of clusters of eight blocks, and one more; and so many rows, long enough,
// that there are eight blocks for each, four, two or one. An H200 has room for 15 rows in registers.
TYPED_TEST(CudaFirstTokens, ByABound) {
  constexpr std::int64_t in_vector = 16 / static_cast<std::int64_t>(sizeof(TypeParam)), of_vectors = 4096 * in_vector;
  const auto compare = [](std::int64_t count, std::int64_t categories) {
    const TokenRows<TypeParam> rows =
        random_rows<TypeParam>(count, categories, static_cast<std::uint64_t>(categories + count));
    for (const std::int32_t k : {1, 50, 56, 57, 64, 65})
      ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, k, 0.9f, 0.01f), k % 8))
          << count << " rows of " << categories << ", top_k " << k;
  };
  for (const std::int64_t count : {1, 15, 18, 30, 33, 64, 67, 132, 133, 264, 300}) compare(count, 8199);
  for (const std::int64_t more : {-1, 0, 1}) compare(2, 512 * in_vector + more);
  for (const std::int64_t vectors : {8, 16})
    for (const std::int64_t more : {-1, 0, 1}) compare(1, vectors * of_vectors + more);
  compare(17, 20003);
  compare(20, 2 * of_vectors + 1);
}

// Filters of their own: of every kind, and some that are not valid. Rows with a small top_k and greedy ones are drawn
// from by a bound, the others by other kernels at the same time.
TYPED_TEST(CudaFirstTokens, OwnFilters) {
  for (const std::int64_t count : {1, 7, 8, 20, 50, 110, 200, 300, 1100})
    for (const std::int64_t categories : {300, 4103, 9001, 70001, 262151}) {
      if (count * categories > 1500000) continue;
      TokenRows<TypeParam> rows = random_rows<TypeParam>(count, categories, static_cast<std::uint64_t>(count));
      rows.masses = false;
      for (std::size_t row = 0; row < rows.top_k.size(); ++row) {
        if (row % 3 == 0) rows.top_k[row] = 1 + static_cast<std::int32_t>(row) % 65;
        if (row % 7 == 3) rows.temperature[row] = 0;
        if (row % 41 == 6) rows.temperature[row] = -1;
        if (row % 41 == 7) rows.top_p[row] = 1.5f;
        if (row % 41 == 8) rows.top_k[row] = -3;
      }
      ASSERT_TRUE(same_tokens(rows, count % 8)) << count << " rows of " << categories;
      rows.joint = true;
      ASSERT_TRUE(same_tokens(rows)) << count << " rows of " << categories << ", joint";
      allow(rows, 0.5, 3);
      ASSERT_TRUE(same_tokens(rows)) << count << " rows of " << categories << ", joint, with masks";
      rows.joint = false;
      ASSERT_TRUE(same_tokens(rows)) << count << " rows of " << categories << ", with masks";
    }
}

// Rows that are hard to choose from, greedy or not, each with its own filters.
TYPED_TEST(CudaFirstTokens, HardRowsOfOwnFilters) {
  for (const std::int64_t count : {24, 60, 120, 300}) {
    TokenRows<TypeParam> rows = filtered(hard_rows<TypeParam>(count, 9001, 0), 0.7f, 50, 0.9f, 0);
    for (std::int32_t row = 1; row < count; ++row) {
      rows.temperature.push_back(row / kinds % 2 == 0 ? 0.0f : 0.6f);
      rows.top_k.push_back(row % 70);
    }
    ASSERT_TRUE(same_tokens(rows)) << count << " rows";
  }
}

// Large logits next to each other: an eighth of the row.
TYPED_TEST(CudaFirstTokens, LargeLogitsNextToEachOther) {
  for (const std::int64_t count : {1, 20, 50, 100, 200})
    for (const std::int64_t first : {0, 4001, 7999}) {
      std::mt19937_64 bits(static_cast<std::uint64_t>(count));
      std::normal_distribution<double> normal;
      TokenRows<TypeParam> rows = {count, 9001};
      for (std::int64_t row = 0; row < count; ++row)
        for (std::int64_t k = 0; k < 9001; ++k)
          rows.logits.push_back(stored<TypeParam>(3 * normal(bits) + (k >= first && k < first + 1125 ? 9 : 0)));
      ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 50, 0.9f, 0.01f), count % 8)) << count << " rows from " << first;
    }
}

// Masks that allow half of the categories, few and none, one for all rows, and categories next to each other: so many
// that the bound is of no use. What is not allowed may be NaN.
TYPED_TEST(CudaFirstTokens, MasksByABound) {
  for (const std::int64_t count : {1, 20, 50, 100, 200})
    for (const std::int64_t categories : {4103, 9001, 70001, 140007}) {
      if (count * categories > 500000) continue;
      TokenRows<TypeParam> rows =
          filtered(random_rows<TypeParam>(count, categories, static_cast<std::uint64_t>(count)), 0.8f, 50, 0.9f, 0.01f);
      for (const double share : {0.5, 0.01, 0.0}) {
        allow(rows, share, 3);
        ASSERT_TRUE(same_tokens(rows, count % 8)) << count << " rows of " << categories << ", share " << share;
        ASSERT_TRUE(same_tokens(filtered(rows, 0, 0, 1, 0))) << count << " rows of " << categories << ", greedy";
      }
      allow(rows, 0.3, 4);
      for (std::size_t n = 0; n < rows.logits.size(); n += 7) {
        const auto k = static_cast<std::int64_t>(n) % categories, row = static_cast<std::int64_t>(n) / categories;
        const auto word = static_cast<std::size_t>(row * ((categories + 31) / 32) + k / 32);
        if ((rows.allowed[word] >> (k % 32) & 1u) == 0) rows.logits[n] = not_a_number<TypeParam>();
      }
      ASSERT_TRUE(same_tokens(rows)) << count << " rows of " << categories << ", NaN";
      rows.allowed.assign(static_cast<std::size_t>((categories + 31) / 32), 0);
      std::fill_n(rows.allowed.begin() + 3, 40, 0xFFFF'FFFFu);
      ASSERT_TRUE(same_tokens(rows, 3)) << count << " rows of " << categories << ", one mask";
    }
}

// Wherever a row begins and ends within 16 bytes.
TYPED_TEST(CudaFirstTokens, FromEveryPlace) {
  for (std::int64_t categories = 16381; categories < 16390; ++categories) {
    const TokenRows<TypeParam> rows = random_rows<TypeParam>(2, categories, static_cast<std::uint64_t>(categories));
    for (std::int64_t offset = 0; offset < 8; ++offset) {
      ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 50, 0.9f, 0), offset)) << categories << " from " << offset;
      ASSERT_TRUE(same_tokens(filtered(rows, 0, 0, 1, 0), offset)) << categories << " from " << offset << ", greedy";
    }
  }
}

// Alone and among few, the blocks of a cluster share a row.
TYPED_TEST(CudaFirstTokens, HardRowsAmongFew) {
  for (const std::int64_t count : {20, 50, 120, 200}) {
    const TokenRows<TypeParam> rows = hard_rows<TypeParam>(count, 9001, 0);
    for (const std::int32_t k : {1, 50, 64})
      ASSERT_TRUE(same_tokens(filtered(rows, 0.7f, k, 0.9f, 0))) << count << " rows, top_k " << k;
  }
}
TYPED_TEST(CudaFirstTokens, HardRowsAlone) {
  for (int kind = 0; kind < kinds; ++kind) {
    const TokenRows<TypeParam> rows = hard_rows<TypeParam>(1, 70001, kind);
    for (const std::int32_t k : {1, 2, 50, 128, 200, 1024})
      ASSERT_TRUE(same_tokens(filtered(rows, 0.7f, k, 0.9f, 0))) << "kind " << kind << ", top_k " << k;
    ASSERT_TRUE(same_tokens(filtered(rows, 0, 0, 1, 0))) << "kind " << kind << ", greedy";
  }
}

// A block draws from several rows, one after another, of which some are left to the slower way.
TYPED_TEST(CudaFirstTokens, HardRowsTogether) {
  for (const std::int64_t categories : {300, 1500}) {
    const TokenRows<TypeParam> rows = hard_rows<TypeParam>(1100, categories, 0);
    for (const std::int32_t k : {1, 50, 128})
      ASSERT_TRUE(same_tokens(filtered(rows, 0.7f, k, 0.95f, 0.001f))) << categories << ", top_k " << k;
    ASSERT_TRUE(same_tokens(filtered(rows, 0, 0, 1, 0))) << categories << ", greedy";
    TokenRows<TypeParam> mixed = filtered(rows, 0.7f, 50, 1, 0);
    for (std::int32_t row = 1; row < 1100; ++row) mixed.top_k.push_back(row % 140);
    for (std::int32_t row = 1; row < 1100; ++row) mixed.temperature.push_back(row % 11 == 0 ? 0.0f : 0.6f);
    ASSERT_TRUE(same_tokens(mixed)) << categories << ", filters per row";
  }
}

// More room than the kept set takes, and less.
TYPED_TEST(CudaFirstTokens, RoomForTheKeptSet) {
  for (const std::int64_t room : {1, 2, 30, 128, 129, 2000}) {
    TokenRows<TypeParam> rows = filtered(random_rows<TypeParam>(5, 9001, 3), 0.8f, 60, 0.95f, 0);
    rows.room = room;
    ASSERT_TRUE(same_tokens(rows)) << room;
    ASSERT_TRUE(same_tokens(filtered(rows, 0, 0, 1, 0))) << room << ", greedy";
  }
}

// Masks and biases beside rows that have none.
TYPED_TEST(CudaFirstTokens, MasksAndBiases) {
  for (const std::int64_t categories : {1000, 33003}) {
    TokenRows<TypeParam> rows = filtered(random_rows<TypeParam>(4, categories, 9), 0.8f, 50, 0.9f, 0);
    rows.bias_offsets = {0, 0, 3, 3, 4};
    rows.bias_categories = {0, 7, static_cast<std::int32_t>(categories - 1), 5};
    rows.bias_values = {60, -60, 50, 1};
    ASSERT_TRUE(same_tokens(rows)) << categories << ", biases";
    rows.allowed.assign(static_cast<std::size_t>(4 * ((categories + 31) / 32)), 0xAAAA'AAAAu);
    ASSERT_TRUE(same_tokens(rows)) << categories << ", biases and a mask";
    ASSERT_TRUE(same_tokens(filtered(rows, 0, 0, 1, 0))) << categories << ", greedy";
  }
}

}  // namespace
}  // namespace papilio::testing
