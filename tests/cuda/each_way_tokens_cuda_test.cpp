// Few rows, which one kernel draws from, each in the way of its own filter, against the CPU: bit by bit. More rows, or
// longer ones, go to other kernels, and have to give the same.

#include "cuda/hard_token_rows.h"

namespace papilio::testing {
namespace {

template <class S>
class CudaEachWayTokens : public CudaTest {};
TYPED_TEST_SUITE(CudaEachWayTokens, TokenTypes);

// Of every ten rows: by a bound; greedy; by top_p; by top_p, but so flat that the cut is not found; on chip by min_p,
// without a filter, and with a large top_k, of one of which the list has no room for the logits near the largest, and
// of another the cut is far from there; with a bad filter.
constexpr int ways = 10;
template <class S>
TokenRows<S> with_own_filters(TokenRows<S> rows, int first = 0) {
  constexpr float temperatures[ways] = {0.8f, 0, 0.9f, 0x1p100f, 0.7f, 1, 0.8f, 20, 0.3f, -1};
  constexpr std::int32_t top_ks[ways] = {50, 0, 0, 0, 0, 0, 100, 700, 1500, 0};
  constexpr float top_ps[ways] = {0.9f, 1, 0.9f, 0.9f, 1, 1, 0.8f, 1, 1, 1};
  constexpr float min_ps[ways] = {0.01f, 0, 0.001f, 0, 0.05f, 0, 0, 0, 0, 0};
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const auto way = static_cast<std::size_t>((first + row) % ways);
    rows.temperature.push_back(temperatures[way]);
    rows.top_k.push_back(top_ks[way]);
    rows.top_p.push_back(top_ps[way]);
    rows.min_p.push_back(min_ps[way]);
  }
  rows.per_row = true;
  rows.masses = false;
  return rows;
}

// Clusters of eight blocks and of four, and more rows than there is room for; lengths on both sides of the limits.
TYPED_TEST(CudaEachWayTokens, OfEverySize) {
  for (const std::int64_t categories : {8191, 8192, 16383, 16384, 20011, 32768, 50257, 131072, 131073, 163841})
    for (const std::int64_t count : {2, 9, 17, 30, 31}) {
      if (count * categories > 1200000) continue;
      const auto rows = normal_rows<TypeParam>(count, categories, 2, static_cast<std::uint64_t>(categories));
      const int first = static_cast<int>(count * categories % ways);
      ASSERT_TRUE(same_tokens(with_own_filters(rows, first))) << count << " rows of " << categories;
    }
  // The longest rows of four blocks, by the registers of floats and the shared memory of 16-bit logits, and longer.
  for (const std::int64_t categories : {131072, 131073, 168000, 169000})
    ASSERT_TRUE(same_without_order(with_own_filters(normal_rows<TypeParam>(16, categories, 2, 3)))) << categories;
}

// A row of each way alone, up to the longest rows and longer.
TYPED_TEST(CudaEachWayTokens, AloneAndLong) {
  for (const std::int64_t categories : {40000, 151936, 262144, 262145})
    for (int way = 0; way < ways; ++way) {
      const auto rows = normal_rows<TypeParam>(1, categories, 2, static_cast<std::uint64_t>(way));
      ASSERT_TRUE(same_tokens(with_own_filters(rows, way))) << "way " << way << ", " << categories;
    }
}

// Wherever a row begins and ends within 16 bytes.
TYPED_TEST(CudaEachWayTokens, FromEveryPlace) {
  for (std::int64_t categories = 33000; categories < 33009; ++categories) {
    const auto rows = with_own_filters(normal_rows<TypeParam>(9, categories, 3, 5));
    for (const std::int64_t offset : {categories % 8, (categories + 3) % 8})
      ASSERT_TRUE(same_tokens(rows, offset)) << categories << " from " << offset;
  }
}

// Invalid logits, equal ones, and large ones in one block, each drawn from in every way, by eight blocks and by four.
// Of some that are equal neither histograms nor the sort find the cut: these rows are left over.
TYPED_TEST(CudaEachWayTokens, HardRows) {
  struct Part {
    std::int64_t rows;
    int first;
  };
  for (const Part part : {Part{11, 0}, Part{11, 11}, Part{22, 0}})
    for (int way = 0; way < ways; ++way) {
      auto rows = with_own_filters(hard_rows<TypeParam>(part.rows, 20001, part.first), way);
      ASSERT_TRUE(same_tokens(rows)) << part.rows << " rows from way " << way;
      allow(rows, 0.5, 7);
      ASSERT_TRUE(same_tokens(rows)) << part.rows << " rows from way " << way << ", with masks";
    }
}

TYPED_TEST(CudaEachWayTokens, Masks) {
  for (const std::int64_t count : {5, 14, 25})
    for (const double share : {0.9, 0.5, 0.001, 0.0}) {
      auto rows = with_own_filters(normal_rows<TypeParam>(count, 40000, 2, 11), static_cast<int>(count));
      allow(rows, share, 5);
      ASSERT_TRUE(same_tokens(rows)) << count << " rows, " << share << " allowed";
      rows.joint = true;
      ASSERT_TRUE(same_tokens(rows)) << count << " rows, " << share << " allowed, joint";
    }
}

TYPED_TEST(CudaEachWayTokens, RoomForTheKeptSet) {
  for (const std::int64_t room : {1, 30, 1000, 9000})
    for (const std::int64_t count : {9, 20}) {
      auto rows = with_own_filters(normal_rows<TypeParam>(count, 40000, 1, 3));
      rows.room = room;
      ASSERT_TRUE(same_tokens(rows)) << count << " rows, room " << room;
    }
}

// Adds to three categories of each row.
template <class S>
void add_biases(TokenRows<S>& rows) {
  rows.bias_offsets = {0};
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    for (const std::int64_t category : {std::int64_t{5}, rows.categories / 2, rows.categories - 1}) {
      rows.bias_categories.push_back(static_cast<std::int32_t>(category));
      rows.bias_values.push_back(static_cast<float>(6 - row % 4) + 0x1p-12f);
    }
    rows.bias_offsets.push_back(3 * (row + 1));
  }
}

// One filter for all rows: those on chip, because the kept mass is asked for, because of a bias, or by a large top_k;
// those with top_p; and those of which a list is asked for.
TYPED_TEST(CudaEachWayTokens, OneFilter) {
  for (const std::int64_t count : {1, 9, 20, 31})
    for (const TokenFilterOfAll& f :
         {TokenFilterOfAll{50, 0.9f, 0.01f}, {1500, 0.9f, 0}, {0, 0.9f, 0}, {0, 1, 0.05f}, {0, 1, 0}})
      for (const bool masses : {true, false}) {
        auto rows = filtered(normal_rows<TypeParam>(count, 40000, 2, 4), 0.8f, f.top_k, f.top_p, f.min_p);
        rows.masses = masses;
        ASSERT_TRUE(same_tokens(rows)) << count << " rows, top_k " << f.top_k << ", top_p " << f.top_p;
        allow(rows, 0.6, 3);
        ASSERT_TRUE(same_tokens(rows)) << count << " rows with masks, top_k " << f.top_k << ", top_p " << f.top_p;
        rows.allowed.clear();
        add_biases(rows);
        ASSERT_TRUE(same_tokens(rows)) << count << " rows with biases, top_k " << f.top_k << ", top_p " << f.top_p;
      }
}

// Biases of rows that are left over, because so many logits are equal, and biases out of order.
TYPED_TEST(CudaEachWayTokens, HardRowsWithBiases) {
  for (const std::int64_t count : {11, 22}) {
    auto rows = filtered(hard_rows<TypeParam>(count, 20001, 0), 0.8f, 1500, 0.9f, 0);
    add_biases(rows);
    ASSERT_TRUE(same_tokens(rows)) << count << " rows";
    rows.bias_categories[4] = 20001, rows.bias_categories[9] = 5, rows.bias_categories[10] = 5;
    ASSERT_TRUE(same_tokens(rows)) << count << " rows, some with bad biases";
  }
}

}  // namespace
}  // namespace papilio::testing
