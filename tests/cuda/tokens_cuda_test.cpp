// Draws among filtered logits on the device against the CPU, bit by bit: tokens, kept sets, logarithms, counts, masses,
// ranks and statuses.

#include <cmath>
#include <limits>

#include "cuda/hard_token_rows.h"

namespace papilio::testing {
namespace {

template <class S>
void add_mask(TokenRows<S>& rows, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  for (std::int64_t n = 0; n < rows.rows * ((rows.categories + 31) / 32); ++n)
    rows.allowed.push_back(static_cast<std::uint32_t>(bits()) | static_cast<std::uint32_t>(bits()));
}

template <class S>
void add_bias(TokenRows<S>& rows, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const float values[] = {minus_infinity, -3, 0.5f, 7, 100};
  rows.bias_offsets = {0};
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const std::int64_t step = 1 + pick(bits, rows.categories);
    for (std::int64_t k = pick(bits, step); k < rows.categories; k += step) {
      rows.bias_categories.push_back(static_cast<std::int32_t>(k));
      rows.bias_values.push_back(values[pick(bits, 5)]);
    }
    rows.bias_offsets.push_back(static_cast<std::int64_t>(rows.bias_categories.size()));
  }
}

template <class S>
class CudaTokens : public CudaTest {};
TYPED_TEST_SUITE(CudaTokens, TokenTypes);

TYPED_TEST(CudaTokens, OfEverySize) {
  for (const std::int64_t categories : {1, 2, 3, 31, 33, 100, 257, 1000, 1025, 2047, 4099, 8191, 20000})
    for (const bool masses : {true, false})
      for (const bool joint : {false, true}) {
        TokenRows<TypeParam> rows = random_rows<TypeParam>(61, categories, static_cast<std::uint64_t>(categories) + 1);
        rows.masses = masses;
        rows.joint = joint;
        ASSERT_TRUE(same_tokens(rows)) << categories << " categories, masses " << masses << ", joint " << joint;
        rows.by_columns = true;  // such rows are not drawn from as they are stored
        ASSERT_TRUE(same_tokens(rows)) << categories << " by columns, masses " << masses << ", joint " << joint;
      }
}

TYPED_TEST(CudaTokens, MaskedBiasedAndStridedRows) {
  for (const std::int64_t categories : {3, 65, 1000, 4099, 30001})
    for (const int what : {1, 2, 3, 4, 7}) {
      TokenRows<TypeParam> rows = random_rows<TypeParam>(37, categories, static_cast<std::uint64_t>(categories + what));
      if ((what & 1) != 0) add_mask(rows, 5);
      if ((what & 2) != 0) add_bias(rows, 6);
      rows.by_columns = (what & 4) != 0;
      rows.masses = what % 2 == 0;
      ASSERT_TRUE(same_tokens(rows, what)) << categories << " categories, " << what;
    }
}

TYPED_TEST(CudaTokens, LongRows) {
  for (const std::int64_t categories : {131072, 151936, 262144}) {
    TokenRows<TypeParam> rows = random_rows<TypeParam>(9, categories, static_cast<std::uint64_t>(categories));
    ASSERT_TRUE(same_tokens(rows)) << categories;
    rows.masses = false;
    add_mask(rows, 5);
    ASSERT_TRUE(same_tokens(rows, 3)) << categories;
  }
}

// One filter for all rows: kernels that do only what it takes.
TYPED_TEST(CudaTokens, OneFilter) {
  struct Filter {
    std::int32_t top_k;
    float top_p, min_p;
  };
  for (const std::int64_t categories : {2, 7, 1000, 4096, 4103, 32000, 50257, 131072})
    for (const Filter& f :
         {Filter{0, 1, 0}, {0, 1, 0.02f}, {0, 0.9f, 0}, {0, 0.3f, 0.1f}, {3000, 1, 0}, {3000, 0.99f, 0}})
      for (const bool joint : {false, true}) {
        TokenRows<TypeParam> rows =
            random_rows<TypeParam>(categories > 9000 ? 6 : 41, categories, static_cast<std::uint64_t>(categories) + 7);
        rows.temperature = {0.8f}, rows.top_k = {f.top_k}, rows.top_p = {f.top_p}, rows.min_p = {f.min_p};
        rows.joint = joint;
        ASSERT_TRUE(same_tokens(rows)) << categories << " categories, top_k " << f.top_k << ", top_p " << f.top_p
                                       << ", min_p " << f.min_p << ", joint " << joint;
      }
}

// Rows without filters, whose weights are summed several at a time: of logits near the largest and far from it, with
// parts of them that a float's difference loses, and so many that are equal that sums are as large as they can be.
TYPED_TEST(CudaTokens, WithoutFilters) {
  for (const std::int64_t categories : {32768, 131072, 262144}) {
    TokenRows<TypeParam> rows = random_rows<TypeParam>(11, categories, static_cast<std::uint64_t>(categories) + 3);
    const auto logit = [&](std::int64_t row, std::int64_t k) -> TypeParam& {
      return rows.logits[static_cast<std::size_t>(row * categories + k)];
    };
    for (std::int64_t k = 0; k < categories; ++k) {
      logit(7, k) = stored<TypeParam>(1.5);
      logit(8, k) = stored<TypeParam>(std::ldexp(k % 2 == 0 ? 1.3 : -1.7, 3 - static_cast<int>(k % 23)));
      logit(9, k) = stored<TypeParam>(-20.0 - std::ldexp(1.1, static_cast<int>(k % 9) - 4));
      logit(10, k) = stored<TypeParam>(k == 77 ? 1e-4 : std::ldexp(-1.0, -static_cast<int>(k % 20)));
    }
    rows.top_k = {0}, rows.top_p = {1}, rows.min_p = {0};
    for (const float temperature : {1e-4f, 0.1f, 0.8f, 1.0f, 30.0f, 1e5f}) {
      rows.temperature = {temperature};
      ASSERT_TRUE(same_tokens(rows)) << categories << " categories, temperature " << temperature;
    }
  }
}

TYPED_TEST(CudaTokens, OneFilterMaskedAndBiased) {
  struct Filter {
    std::int32_t top_k;
    float top_p, min_p;
  };
  for (const std::int64_t categories : {2, 31, 1000, 4103, 50257, 131072})
    for (const Filter& f : {Filter{0, 1, 0}, {0, 1, 0.02f}, {0, 0.9f, 0}, {3000, 0.99f, 0}})
      for (const int what : {1, 2, 3}) {
        TokenRows<TypeParam> rows =
            random_rows<TypeParam>(categories > 9000 ? 5 : 29, categories, static_cast<std::uint64_t>(categories) + 9);
        rows.temperature = {0.8f}, rows.top_k = {f.top_k}, rows.top_p = {f.top_p}, rows.min_p = {f.min_p};
        if ((what & 1) != 0) add_mask(rows, 3);
        if ((what & 2) != 0) add_bias(rows, 4);
        ASSERT_TRUE(same_tokens(rows, what)) << categories << " categories, top_k " << f.top_k << ", top_p " << f.top_p
                                             << ", min_p " << f.min_p << ", " << what;
      }
}

// What is wrong where a category is not allowed does not count. One category is allowed, none, or all rows have one
// mask.
TYPED_TEST(CudaTokens, MasksOverFaults) {
  constexpr std::int64_t rows = 8;
  for (const std::int64_t categories : {5, 97, 3000, 40001})
    for (const std::int32_t k : {0, 20})
      for (const std::int64_t offset : {0, 1, 3, 7}) {
        TokenRows<TypeParam> made = random_rows<TypeParam>(rows, categories, 8);
        made.temperature = {1}, made.top_k = {k}, made.top_p = {0.9f}, made.min_p = {0};
        const std::int64_t words = (categories + 31) / 32;
        made.allowed.assign(static_cast<std::size_t>(rows * words), ~0u);
        const auto forbid = [&](std::int64_t row, std::int64_t category) {
          made.allowed[static_cast<std::size_t>(row * words + category / 32)] &= ~(1u << category % 32);
        };
        const auto put = [&](std::int64_t row, std::int64_t category, TypeParam x) {
          made.logits[static_cast<std::size_t>(row * categories + category)] = x;
        };
        const auto infinite = stored<TypeParam>(std::numeric_limits<double>::infinity());
        put(0, categories - 1, not_a_number<TypeParam>()), forbid(0, categories - 1);
        put(1, 0, infinite), forbid(1, 0);
        put(2, categories / 2, not_a_number<TypeParam>()), forbid(2, categories / 2 + 1);
        put(3, categories / 2, infinite), put(3, 0, not_a_number<TypeParam>()), forbid(3, 0);
        for (std::int64_t c = 0; c < categories; ++c) {
          forbid(4, c);
          if (c != categories - 1) forbid(5, c);
          if (c != 0) forbid(6, c);
        }
        ASSERT_TRUE(same_tokens(made, offset)) << categories << " categories, top_k " << k << ", offset " << offset;
        made.allowed.resize(static_cast<std::size_t>(words));  // the first row's for all
        ASSERT_TRUE(same_tokens(made, offset)) << categories << " categories, one mask, offset " << offset;
      }
}

// More than blocks hold on chip.
TYPED_TEST(CudaTokens, RowsInAWorkspace) {
  TokenRows<TypeParam> rows = random_rows<TypeParam>(11, 600001, 4);
  ASSERT_GT(token_workspace_bytes(rows.rows, rows.categories, Device::cuda()), 0);
  ASSERT_TRUE(same_tokens(rows));
  add_bias(rows, 7);
  ASSERT_TRUE(same_tokens(rows));
}

// The same without masses, so that rows with a small top_k, and greedy ones, are drawn from by a bound.
TYPED_TEST(CudaTokens, RowsInAWorkspaceOrByABound) {
  TokenRows<TypeParam> rows = random_rows<TypeParam>(11, sizeof(TypeParam) == 4 ? 600001 : 1200001, 4);
  for (std::size_t row = 0; row < 11; ++row) {
    if (row % 2 == 0) rows.top_k[row] = row % 4 == 0 ? 40 : 100;
    if (row % 5 == 1) rows.temperature[row] = 0;
  }
  rows.masses = false;
  ASSERT_TRUE(same_tokens(rows));
  allow(rows, 0.5, 3);
  ASSERT_TRUE(same_tokens(rows));
}

// Ties fill what is collected again and again, ascending logits replace all of it.
TYPED_TEST(CudaTokens, RowsMadeToBeHard) {
  constexpr std::int64_t rows = 6, categories = 70001;
  TokenRows<TypeParam> made = {rows, categories};
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = 0; k < categories; ++k) {
      const double x[] = {1,
                          static_cast<double>(k) * 1e-3,
                          static_cast<double>(categories - k) * 1e-3,
                          static_cast<double>(k % 2),
                          static_cast<double>(k / 9000),
                          k == 69999 ? 1.0 : -30000.0};
      made.logits.push_back(stored<TypeParam>(x[i]));
    }
  made.temperature = {0.7f}, made.top_p = {0.9f}, made.min_p = {0};
  for (const std::int32_t k : {1, 2, 50, 511, 1024, 1025, 5000, 0}) {
    made.top_k = {k};
    for (const bool masses : {true, false}) {
      made.masses = masses;
      ASSERT_TRUE(same_tokens(made)) << k;
    }
  }
}

TYPED_TEST(CudaTokens, BadRows) {
  for (const std::int64_t categories : {5, 3000, 40000})
    for (const std::int32_t k : {0, 20}) {
      TokenRows<TypeParam> rows = random_rows<TypeParam>(12, categories, 8);
      const auto last = static_cast<std::size_t>(categories - 1), row = static_cast<std::size_t>(categories);
      for (std::size_t i = 0; i < 12; ++i) {
        rows.temperature[i] = 1, rows.top_k[i] = k, rows.top_p[i] = 0.9f, rows.min_p[i] = 0;
        for (std::size_t j = 0; j < row; ++j) rows.logits[i * row + j] = stored<TypeParam>(static_cast<double>(j % 7));
      }
      rows.logits[0 * row + last] = not_a_number<TypeParam>();
      rows.logits[1 * row] = stored<TypeParam>(std::numeric_limits<double>::infinity());
      rows.logits[2 * row] = not_a_number<TypeParam>();
      rows.logits[2 * row + last] = stored<TypeParam>(std::numeric_limits<double>::infinity());
      for (std::size_t j = 0; j < row; ++j)
        rows.logits[3 * row + j] = stored<TypeParam>(-std::numeric_limits<double>::infinity());
      rows.temperature[4] = -1, rows.temperature[5] = std::numeric_limits<float>::quiet_NaN();
      rows.top_k[6] = -1, rows.top_p[7] = 1.5f, rows.min_p[8] = -0.1f;
      ASSERT_TRUE(same_tokens(rows)) << categories << " categories, top_k " << k;
      rows.bias_offsets = {0, 1, 2, 2, 2, 2, 2, 4, 3, 3, 5, 7, 9};
      rows.bias_categories = {0, static_cast<std::int32_t>(categories), 1, 1, 2, 0, 1, 2, 3};
      rows.bias_values.assign(9, 1);
      ASSERT_TRUE(same_tokens(rows)) << categories << " categories, bias, top_k " << k;
    }
}

// So many rows with biases that clusters have several of them, and so long ones that 16-bit logits just fit on chip as
// floats, or no longer.
TYPED_TEST(CudaTokens, ManyAndLongRowsWithBiases) {
  TokenRows<TypeParam> many = random_rows<TypeParam>(300, 9001, 3);
  add_bias(many, 5);
  ASSERT_TRUE(same_tokens(many, 3));
  for (const std::int64_t categories : {262145, 400001, 440001, 470001}) {
    TokenRows<TypeParam> rows = random_rows<TypeParam>(2, categories, 4);
    rows.temperature = {0.8f}, rows.top_k = {0}, rows.top_p = {0.9f}, rows.min_p = {0};
    add_bias(rows, 5);
    ASSERT_TRUE(same_tokens(rows, 1)) << categories << " categories";
  }
}

// A row's draw does not know the rows beside it.
TYPED_TEST(CudaTokens, RowsAloneAndTogether) {
  TokenRows<TypeParam> all = random_rows<TypeParam>(300, 9000, 3);
  ASSERT_TRUE(same_tokens(all));
  for (const std::size_t i : {0, 150, 299}) {
    TokenRows<TypeParam> one = {1, all.categories};
    one.logits.assign(all.logits.begin() + static_cast<std::ptrdiff_t>(i) * 9000,
                      all.logits.begin() + static_cast<std::ptrdiff_t>(i + 1) * 9000);
    one.temperature = {all.temperature[i]}, one.top_k = {all.top_k[i]}, one.top_p = {all.top_p[i]};
    one.min_p = {all.min_p[i]}, one.seeds = {all.seeds[i]}, one.positions = {all.positions[i]};
    ASSERT_TRUE(same_tokens(one)) << i;
  }
}

}  // namespace
}  // namespace papilio::testing
