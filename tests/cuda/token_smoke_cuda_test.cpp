// A few rows through each kernel that draws tokens, for tools that look for races in shared memory; and one call
// repeated so often that a rare race would show.

#include <algorithm>

#include "cuda/hard_token_rows.h"
#include "execution/cuda/memory.h"

namespace papilio::testing {
namespace {

template <class S>
class CudaTokenSmoke : public CudaTest {};
TYPED_TEST_SUITE(CudaTokenSmoke, TokenTypes);

template <class S>
TokenRows<S> wide_rows(std::int64_t rows, std::int64_t categories, double scale) {
  TokenRows<S> made = {rows, categories};
  std::mt19937_64 bits(9);
  std::normal_distribution<double> normal;
  for (std::int64_t n = 0; n < rows * categories; ++n) made.logits.push_back(stored<S>(normal(bits) * scale));
  return made;
}

// The filters of few rows and of many. Rows that are equally likely at a very high temperature go on to the kernel that
// draws from any row; without filters, intervals and exact sums are used.
TYPED_TEST(CudaTokenSmoke, SmokeOfEveryFilter) {
  for (const std::int64_t count : {std::int64_t{2}, std::int64_t{102}}) {
    auto rows = wide_rows<TypeParam>(count, 5002, 2);
    for (const float temperature : {0.0f, 0.8f, 0x1p100f}) {
      ASSERT_TRUE(same_tokens(filtered(rows, temperature, 0, 0.9f, 0))) << count << " rows, " << temperature;
      ASSERT_TRUE(same_tokens(filtered(rows, temperature, 600, 0.9f, 0))) << count << " rows, " << temperature;
    }
    ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 0, 1, 0))) << count << " rows";
    ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 40, 1, 0.01f))) << count << " rows";
    ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 100, 0.9f, 0))) << count << " rows";
    allow(rows, 0.7, 3);
    ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 40, 0.9f, 0.01f))) << count << " rows";
    ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 0, 1, 0))) << count << " rows";
  }
}

// By a bound, with eight blocks for a row, four (of float), two and one. One of two rows has too many equal logits for
// that.
TYPED_TEST(CudaTokenSmoke, SmokeOfBounds) {
  for (const std::int64_t count : {2, 40, 70, 140}) {
    auto rows = wide_rows<TypeParam>(count, 8200, 2);
    if (count == 2) std::fill(rows.logits.begin() + 8200, rows.logits.end(), stored<TypeParam>(1.5));
    ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 40, 0.9f, 0.01f))) << count << " rows";
    allow(rows, 0.5, 3);
    ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 40, 0.9f, 0.01f))) << count << " rows with masks";
  }
}

// Few rows with top_p: eight blocks for a row (of so many categories that the kernel for few rows does not take them),
// four and two. Rows whose categories are about equally likely have no room in the lists of two blocks, and at a very
// high temperature they go on to the kernel that draws from any row.
TYPED_TEST(CudaTokenSmoke, SmokeOfTopP) {
  for (const std::int64_t count : {1, 40, 64}) {
    auto rows = wide_rows<TypeParam>(count, count == 64 ? 60000 : count == 40 ? 17000 : 270000, 2);
    for (const float temperature : {0.8f, 20.0f, 0x1p100f})
      ASSERT_TRUE(same_tokens(filtered(rows, temperature, 0, 0.9f, 0))) << count << " rows, " << temperature;
    allow(rows, 0.5, 3);
    ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 0, 0.9f, 0.05f))) << count << " rows with masks";
  }
}

// Few rows, so flat that the cut is looked for in a window. Each is drawn from once: a sanitizer takes long.
TYPED_TEST(CudaTokenSmoke, SmokeOfWindows) {
  struct Shape {
    std::int64_t rows, categories;
  };
  for (const Shape shape : {Shape{1, 98000}, Shape{40, 49000}, Shape{64, 44000}}) {
    const auto rows = filtered(wide_rows<TypeParam>(shape.rows, shape.categories, 2), 20, 0, 0.9f, 0);
    ASSERT_TRUE(same_without_order(rows)) << shape.rows << " rows";
  }
}

// Rows of which much is kept: one block for a row and two; few of them, which are drawn from on chip, and many.
TYPED_TEST(CudaTokenSmoke, SmokeOfFlatRows) {
  for (const std::int64_t count : {100, 270}) {
    auto rows = wide_rows<TypeParam>(count, 16390, 2);
    for (const float temperature : {0.8f, 4.0f, 20.0f})
      ASSERT_TRUE(same_tokens(filtered(rows, temperature, 0, 0.9f, 0))) << count << " rows, " << temperature;
  }
}

// Filters per row, so that all kernels have rows, and run at the same time. Of every eight rows the first and the last
// are drawn from by a bound, the second is greedy, the third, at a high temperature, is left over, and the others are
// drawn from near the largest, by top_p or on chip.
template <class S>
TokenRows<S> rows_of_every_way(std::int64_t count, std::int64_t categories = 5002) {
  auto rows = filtered(wide_rows<S>(count, categories, 2), 0.8f, 40, 0.9f, 0.01f);
  for (std::int32_t row = 1; row < count; ++row) {
    const std::int32_t kind = row % 8;
    rows.temperature.push_back(kind == 1 ? 0.0f : kind == 2 ? 0x1p100f : 0.8f);
    rows.top_k.push_back(kind == 0 || kind == 7 ? 40 : kind == 3 ? 100 : kind == 4 ? 600 : 0);
    rows.top_p.push_back(kind < 6 ? 0.9f : 1.0f);
    rows.min_p.push_back(kind == 6 ? 0.0f : 0.01f);
  }
  return rows;
}

TYPED_TEST(CudaTokenSmoke, SmokeOfOwnFilters) {
  for (const std::int64_t count : {10, 102}) {
    auto rows = rows_of_every_way<TypeParam>(count);
    ASSERT_TRUE(same_tokens(rows)) << count << " rows";
    allow(rows, 0.5, 3);
    ASSERT_TRUE(same_tokens(rows)) << count << " rows with masks";
  }
}

// The same by one kernel, for few rows: one of each way, by eight blocks and by four.
TYPED_TEST(CudaTokenSmoke, SmokeOfEachWay) {
  for (const std::int64_t count : {8, 16}) {
    auto rows = rows_of_every_way<TypeParam>(count, 33000);
    rows.ranks = false;
    Said host = said_by_host(rows);
    ASSERT_TRUE(same_said(said_by_device(rows, 0), host)) << count << " rows";
    allow(rows, 0.5, 3);
    host = said_by_host(rows);
    ASSERT_TRUE(same_said(said_by_device(rows, 0), host)) << count << " rows with masks";
  }
}

// Rows with biases: those of 16 bits are held as floats, wherever they begin. Clusters have several rows.
TYPED_TEST(CudaTokenSmoke, SmokeOfBiases) {
  for (const bool own_filters : {false, true}) {
    auto rows = rows_of_every_way<TypeParam>(own_filters ? 230 : 30);
    if (!own_filters) rows = filtered(rows, 0.8f, 0, 0.9f, 0.01f);
    rows.ranks = false;
    rows.bias_offsets = {0};
    for (std::int64_t row = 0; row < rows.rows; ++row) {
      rows.bias_categories.insert(rows.bias_categories.end(), {0, 2500, 5001});
      rows.bias_values.insert(rows.bias_values.end(), {3, -1, static_cast<float>(row % 5)});
      rows.bias_offsets.push_back(3 * (row + 1));
    }
    ASSERT_TRUE(same_said(said_by_device(rows, 3), said_by_host(rows))) << "filters per row: " << own_filters;
    allow(rows, 0.5, 3);
    ASSERT_TRUE(same_said(said_by_device(rows, 3), said_by_host(rows))) << "masks, filters per row: " << own_filters;
  }
}

TYPED_TEST(CudaTokenSmoke, SmokeOfKeptMasses) {
  auto rows = wide_rows<TypeParam>(5, 9000, 2);
  rows.temperature = {0.8f}, rows.top_k = {0}, rows.top_p = {0.8f}, rows.min_p = {0.001f};
  ASSERT_TRUE(same_tokens(rows));
  rows.by_columns = true;
  rows.logits = wide_rows<TypeParam>(9000, 5, 2).logits;
  ASSERT_TRUE(same_tokens(rows));
}

// Repeats a call, so many times `together` without waiting, and compares what the last of these drew.
template <class S>
void expect_no_changes(TokenRows<S> rows, int calls, int together) {
  const execution::Stream stream;
  execution::DeviceArray<std::int32_t> tokens(rows.rows, "tokens"), kept(rows.rows, "kept counts");
  DeviceArrays on(0);
  TokenFilters filters;
  const auto per_row = [&](auto& to, auto& values) {
    to = values[0];
    if (values.size() > 1) to.values = on(values);
  };
  per_row(filters.temperature, rows.temperature);
  per_row(filters.top_k, rows.top_k);
  per_row(filters.top_p, rows.top_p);
  per_row(filters.min_p, rows.min_p);
  TokenOptions options = options_of_tests();
  options.cuda_stream = stream.get();
  const Device device = Device::cuda();
  const TokenResults results = {.tokens = {tokens.data(), rows.rows, device},
                                .kept_counts = {kept.data(), rows.rows, device}};
  const MatrixView<const S> logits = {on(rows.logits).data, rows.rows, rows.categories, rows.categories, 1, device};
  std::vector<std::int32_t> first, found(static_cast<std::size_t>(2 * rows.rows));
  for (int n = 0; n < calls; n += together) {
    for (int again = 0; again < together; ++again) sample_tokens(logits, results, filters, options);
    tokens.download(found.data(), rows.rows, stream.get());
    kept.download(found.data() + rows.rows, rows.rows, stream.get());
    stream.wait();
    if (n == 0) first = found;
    ASSERT_EQ(found, first) << "call " << n;
  }
}

// All categories are about equally likely, so a cut that is off by one, in any of many rows, would be seen.
TYPED_TEST(CudaTokenSmoke, TheSameAgainAndAgain) {
  expect_no_changes(filtered(wide_rows<TypeParam>(240, 12000, 3), 0x1p100f, 0, 0.9f, 0), 3000, 1);
}
TYPED_TEST(CudaTokenSmoke, TheSameAgainAndAgainByOwnFilters) {
  expect_no_changes(rows_of_every_way<TypeParam>(14, 33000), 3000, 3);
  expect_no_changes(rows_of_every_way<TypeParam>(50), 3000, 3);
  expect_no_changes(rows_of_every_way<TypeParam>(240), 3000, 3);
}

}  // namespace
}  // namespace papilio::testing
