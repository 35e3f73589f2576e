// Rows whose draw is among the first few, by every way of finding these, against the CPU: bit by bit.

#include <cmath>
#include <limits>

#include "cuda/token_calls.h"

namespace papilio::testing {
namespace {

template <class S>
class CudaFirstTokens : public CudaTest {};
TYPED_TEST_SUITE(CudaFirstTokens, TokenTypes);

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

// One filter for all rows, and no masses: these would take another kernel.
template <class S>
TokenRows<S> filtered(TokenRows<S> rows, float temperature, std::int32_t top_k, float top_p, float min_p) {
  rows.temperature = {temperature}, rows.top_k = {top_k}, rows.top_p = {top_p}, rows.min_p = {min_p};
  rows.masses = false;
  return rows;
}

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

// Kinds of rows that are hard to choose from: what category k of `categories` has.
constexpr int kinds = 20;
double hard_logit(int kind, std::int64_t k, std::int64_t categories) {
  const double noise = std::sin(static_cast<double>(k) * 12.9898) * 5;
  const bool last = k == categories - 1, middle = k == categories / 2;
  switch (kind) {
    case 0:
      return 1;  // all are equal
    case 1:
      return static_cast<double>(k) * 1e-3;
    case 2:
      return static_cast<double>(categories - k) * 1e-3;
    case 3:
      return k % 2 == 0 ? 0.0 : -0.0;  // equal, too
    case 4:
      return k % 977 == 976 ? 0.0 : k % 977 == 5 ? -0.0 : -3;  // ties of both zeros, far from each other
    case 5:
      return middle ? nan : noise;
    case 6:
      return last ? infinity : noise;
    case 7:
      return last ? nan : k == 0 ? infinity : noise;
    case 8:
      return -infinity;
    case 9:
      return k % 1000 == 999 ? noise : -infinity;  // fewer than most top_k
    case 10:
      return last ? -2.5 : -infinity;
    case 11:
      return k < 256 ? 3 : noise - 9;  // as many ties as there is room for
    case 12:
      return k < 257 ? 3 : noise - 9;
    case 13:
      return k >= categories - 60 ? 7 + noise : noise - 9;  // all from one block
    case 14:
      return k % 300 == 17 ? 4 : noise - 9;  // ties in all blocks
    case 15:
      return std::round(noise);
    case 16:
      return middle ? 30000 : -30000.0 - noise;
    case 17:
      return noise * 1e-30;
    case 18:
      return k == 0 ? nan : -infinity;
    default:
      return noise;
  }
}

template <class S>
TokenRows<S> hard_rows(std::int64_t rows, std::int64_t categories, int first) {
  TokenRows<S> made = {rows, categories};
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t k = 0; k < categories; ++k) {
      const double x = hard_logit(static_cast<int>(first + row) % kinds, k, categories);
      made.logits.push_back(std::isnan(x) ? not_a_number<S>() : stored<S>(x));
    }
  return made;
}

// Alone, the blocks of a cluster share a row.
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
