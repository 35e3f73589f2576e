// Draws of tokens alone, without filters, on the device: the CPU's, whether rough sums are enough for them or not.

#include <cmath>
#include <limits>

#include "cuda/problems.h"
#include "papilio/tokens.h"
#include "sampling/tokens/random_rows.h"
#include "sampling/tokens/token_law.h"

namespace papilio::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Rows of one call, with what is between them.
template <class S>
struct PlainRows {
  std::int64_t rows, categories, stride;
  std::vector<S> logits = {};
  std::vector<float> temperature = {};
  std::vector<std::int32_t> top_k = {};
  std::vector<std::int64_t> seeds = {};

  PlainRows(std::int64_t rows_of_call, std::int64_t of_row, std::int64_t gap = 0)
      : rows(rows_of_call), categories(of_row), stride(of_row + gap) {
    logits.assign(static_cast<std::size_t>(rows * stride), not_a_number<S>());
  }

  void put(std::int64_t row, std::int64_t category, double x) {
    logits[static_cast<std::size_t>(row * stride + category)] = stored<S>(x);
  }
  void fill(std::int64_t row, double x) {
    for (std::int64_t k = 0; k < categories; ++k) put(row, k, x);
  }
};

struct Drawn {
  std::vector<std::int32_t> tokens;
  std::vector<TokenStatus> status;
};

template <class S, class On>
void draw(PlainRows<S>& rows, Drawn& drawn, const On& on, Device device, TokenOptions options) {
  TokenFilters filters;
  filters.temperature = rows.temperature[0];
  if (rows.temperature.size() > 1) filters.temperature.values = on(rows.temperature);
  if (!rows.top_k.empty()) filters.top_k.values = on(rows.top_k);
  options.seed = 3;
  if (!rows.seeds.empty()) options.seeds = on(rows.seeds);
  const TokenResults results = {.tokens = on(drawn.tokens), .status = on(drawn.status)};
  const S* logits = on(rows.logits).data;
  sample_tokens(MatrixView<const S>{logits, rows.rows, rows.categories, rows.stride, 1, device}, results, filters,
                options);
}

template <class S>
Drawn by_host(PlainRows<S>& rows) {
  const auto count = static_cast<std::size_t>(rows.rows);
  Drawn drawn = {std::vector<std::int32_t>(count, 7), std::vector<TokenStatus>(count)};
  draw(rows, drawn, [](auto& v) { return VectorView(v.data(), static_cast<std::int64_t>(v.size()), Device::cpu()); },
       Device::cpu(), {});
  return drawn;
}

template <class S>
::testing::AssertionResult same_tokens(PlainRows<S> rows, std::int64_t offset = 0) {
  const Drawn host = by_host(rows);
  const auto count = static_cast<std::size_t>(rows.rows);
  Drawn device = {std::vector<std::int32_t>(count, 7), std::vector<TokenStatus>(count)};
  const execution::Stream stream;
  execution::DeviceArray<std::byte> workspace(token_workspace_bytes(rows.rows, rows.categories, Device::cuda()),
                                              "a workspace");
  TokenOptions options = {.cuda_stream = stream.get()};
  if (workspace.size() > 0) options.workspace = {workspace.data(), workspace.size(), Device::cuda()};
  DeviceArrays on(offset);
  draw(
      rows, device, [&](auto& v) { return on(v); }, Device::cuda(), options);
  stream.wait();
  on.fetch();
  if (auto same = same_bytes(device.status, host.status, "the status"); !same) return same;
  return same_bytes(device.tokens, host.tokens, "the token");
}

template <class S>
PlainRows<S> random_rows(std::int64_t rows, std::int64_t categories, std::uint64_t seed, std::int64_t gap = 0) {
  std::mt19937_64 bits(seed);
  PlainRows<S> made(rows, categories, gap);
  const float temperatures[] = {1, 0.7f, 1.5f, 1e-6f, 1e6f, 0.1f};
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = random_row(bits, categories);
    for (std::int64_t k = 0; k < categories; ++k) made.put(i, k, static_cast<double>(row[static_cast<std::size_t>(k)]));
    made.temperature.push_back(temperatures[pick(bits, 6)]);
    made.seeds.push_back(static_cast<std::int64_t>(bits()));
  }
  return made;
}

using TokenTypes = ::testing::Types<float, Half, BFloat16>;

template <class S>
class CudaTokenIntervals : public CudaTest {};
TYPED_TEST_SUITE(CudaTokenIntervals, TokenTypes);

// More categories than have room on chip: such rows are drawn from by intervals however few they are.
template <class S>
constexpr std::int64_t too_many = sizeof(S) == 4 ? 600001 : 1200001;

// Some with too few categories to be drawn from so; rows that begin anywhere within 16 bytes.
TYPED_TEST(CudaTokenIntervals, OfEverySize) {
  for (const std::int64_t categories : {1, 2, 16383, 16384, 16385, 32767, 32768, 32777, 50257, 131072})
    for (const std::int64_t offset : {0, 1, 3}) {
      if (categories > 40000 && offset == 1) continue;
      const auto rows = random_rows<TypeParam>(53, categories, static_cast<std::uint64_t>(categories), offset);
      ASSERT_TRUE(same_tokens(rows, offset)) << categories << " categories, offset " << offset;
    }
  ASSERT_TRUE(same_tokens(random_rows<TypeParam>(51, 262144, 4)));
  for (const std::int64_t offset : {0, 1, 3, 7})
    ASSERT_TRUE(same_tokens(random_rows<TypeParam>(5, too_many<TypeParam> + offset, 5, 5), offset)) << offset;
}

// Enough rows that each has one block, and few enough that each has as many as there can be.
TYPED_TEST(CudaTokenIntervals, ManyRows) {
  ASSERT_TRUE(same_tokens(random_rows<TypeParam>(400, 33001, 9)));
  ASSERT_TRUE(same_tokens(random_rows<TypeParam>(1, 3 * too_many<TypeParam>, 9)));
}

// Rows beside those of other kernels.
TYPED_TEST(CudaTokenIntervals, AmongFilteredRows) {
  PlainRows<TypeParam> rows = random_rows<TypeParam>(60, 33000, 3);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const std::int32_t k[] = {0, 5, 40000, 2000};
    rows.top_k.push_back(k[i % 4]);
    if (i % 7 == 0) rows.temperature[static_cast<std::size_t>(i)] = 0;
    if (i % 11 == 0) rows.temperature[static_cast<std::size_t>(i)] = -1;
  }
  ASSERT_TRUE(same_tokens(rows));
}

// Two categories that share the row, and a target so near to the border between them that no sum of floats can tell:
// the row has to be summed exactly. Then targets that are far from it: rough sums are enough.
TYPED_TEST(CudaTokenIntervals, OnBothSidesOfABorder) {
  constexpr std::int64_t categories = too_many<TypeParam>;
  // Seeds of rows 0 to 5 whose u is so far from 1/2.
  const auto seeds_of = [](double least, double most) {
    std::vector<std::int64_t> seeds;
    for (std::int64_t seed = 0; seeds.size() < 6; ++seed) {
      const auto number = sampling_kernel::token_numbers(static_cast<std::uint64_t>(seed), 0, seeds.size()).draw;
      const double from_border = std::fabs(static_cast<double>(number) * 0x1p-64 - 0.5);
      if (from_border >= least && from_border < most) seeds.push_back(seed);
    }
    return seeds;
  };
  for (const auto& seeds : {seeds_of(0, 0x1p-20), seeds_of(0.1, 1)}) {
    PlainRows<TypeParam> rows(6, categories);
    rows.temperature = {1};
    rows.seeds = seeds;
    for (std::int64_t i = 0; i < 6; ++i) {
      rows.fill(i, -infinity);
      rows.put(i, 511 + i, 2.5);
      rows.put(i, i % 2 == 0 ? 512 + i : categories - 1, 2.5);
    }
    ASSERT_TRUE(same_tokens(rows));
  }
}

// Equal logits: most targets are near a border.
TYPED_TEST(CudaTokenIntervals, EqualLogits) {
  for (const std::int64_t categories : {std::int64_t{40000}, std::int64_t{131072}, too_many<TypeParam>}) {
    PlainRows<TypeParam> rows(categories == too_many<TypeParam> ? 8 : 60, categories);
    rows.temperature = {0.8f};
    for (std::int64_t i = 0; i < rows.rows; ++i) rows.fill(i, i % 2 == 0 ? 1.5 : -3.25);
    ASSERT_TRUE(same_tokens(rows)) << categories;
  }
}

TYPED_TEST(CudaTokenIntervals, RowsMadeToBeHard) {
  constexpr std::int64_t categories = too_many<TypeParam>, last = categories - 1;
  const double least_of_type = static_cast<double>(summed(least<TypeParam>()));
  const double largest_of_type = static_cast<double>(summed(largest<TypeParam>()));
  for (const float temperature : {1.0f, 1e-6f, 1e6f, 0x1p-100f, 0x1p100f}) {
    PlainRows<TypeParam> rows(12, categories, 3);
    rows.temperature = {temperature};
    for (std::int64_t k = 0; k < categories; ++k) {
      const auto x = static_cast<double>(k);
      rows.put(0, k, k == 777 ? 80 : 0);                                         // one that has nearly all
      rows.put(1, k, k == last ? 0 : -infinity);                                 // one that is allowed
      rows.put(2, k, x * 1e-3);                                                  // larger and larger
      rows.put(3, k, -x * 1e-3);                                                 // smaller and smaller
      rows.put(4, k, least_of_type * static_cast<double>(k % 5));                // subnormal
      rows.put(5, k, k % 2 == 0 ? 0.0 : -0.0);                                   // zeros
      rows.put(6, k, k % 3 == 0 ? largest_of_type : -largest_of_type);           // as far apart as can be
      rows.put(7, k, k % 4096 == 0 ? -infinity : std::sin(x));                   // some are not allowed
      rows.put(8, k, k == last ? std::numeric_limits<double>::quiet_NaN() : 1);  // a NaN at the end
      rows.put(9, k, k == 0 ? infinity : 1);
      rows.put(10, k, -infinity);
      rows.put(11, k, k == 5 ? std::numeric_limits<double>::quiet_NaN() : k == last ? infinity : -infinity);
    }
    ASSERT_TRUE(same_tokens(rows)) << "temperature " << temperature;
    ASSERT_TRUE(same_tokens(rows, 1)) << "temperature " << temperature << ", out of alignment";
  }
}

}  // namespace
}  // namespace papilio::testing
