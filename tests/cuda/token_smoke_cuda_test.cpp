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

// By a bound, with eight blocks for a row, four (of float), two and one. One of two rows has too many equal logits for that.
TYPED_TEST(CudaTokenSmoke, SmokeOfBounds) {
  for (const std::int64_t count : {2, 40, 70, 140}) {
    auto rows = wide_rows<TypeParam>(count, 8200, 2);
    if (count == 2) std::fill(rows.logits.begin() + 8200, rows.logits.end(), stored<TypeParam>(1.5));
    ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 40, 0.9f, 0.01f))) << count << " rows";
    allow(rows, 0.5, 3);
    ASSERT_TRUE(same_tokens(filtered(rows, 0.8f, 40, 0.9f, 0.01f))) << count << " rows with masks";
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

// All categories are about equally likely, so a cut that is off by one, in any of many rows, would be seen.
TYPED_TEST(CudaTokenSmoke, TheSameAgainAndAgain) {
  constexpr std::int64_t count = 240, categories = 12000;
  constexpr int calls = 3000;
  const auto logits = wide_rows<TypeParam>(count, categories, 3).logits;
  const execution::Stream stream;
  execution::DeviceArray<TypeParam> on_device(count * categories, "logits");
  execution::DeviceArray<std::int32_t> tokens(count, "tokens"), kept(count, "kept counts");
  on_device.upload(logits.data(), count * categories, stream.get());
  TokenFilters filters;
  filters.temperature = 0x1p100f;
  filters.top_p = 0.9f;
  TokenOptions options = options_of_tests();
  options.cuda_stream = stream.get();
  const Device device = Device::cuda();
  const TokenResults results = {.tokens = {tokens.data(), count, device}, .kept_counts = {kept.data(), count, device}};
  std::vector<std::int32_t> first, found(2 * count);
  for (int n = 0; n < calls; ++n) {
    sample_tokens(MatrixView<const TypeParam>(on_device.data(), count, categories, categories, 1, device), results,
                  filters, options);
    tokens.download(found.data(), count, stream.get());
    kept.download(found.data() + count, count, stream.get());
    stream.wait();
    if (n == 0) first = found;
    ASSERT_EQ(found, first) << "call " << n;
  }
}

}  // namespace
}  // namespace papilio::testing
