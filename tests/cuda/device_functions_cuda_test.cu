// The device functions for kernels of one's own, by uniform numbers that the test chooses: 0, the
// greatest below 1, and every boundary between categories, which no seed can be made to give.

#include <algorithm>
#include <random>
#include <type_traits>

#include "collective/computed_rows.cuh"
#include "collective/draw_long_rows.cuh"
#include "cuda/support.h"
#include "support/oracle.h"

namespace papilio::testing {
namespace {

// Weights from a table in memory, as a function of row and category.
template <class T>
struct TableWeight {
  const T* table;
  std::int64_t columns;
  __device__ T operator()(std::int64_t i, std::int64_t k) const { return table[i * columns + k]; }
};

template <int most, class T>
__global__ void draw_by_batches(TableWeight<T> weight, std::int64_t rows, const double* u, std::int64_t* drawn,
                                double* total) {
  using Shape = collective::BatchShape<most>;
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const collective::ComputedRows<Shape::threads, Shape::rows, TableWeight<T>> provider(
      weight, thread / Shape::threads * Shape::rows, rows, weight.columns);
  const std::int64_t i = provider.number();
  const auto result = collective::draw_batch<most>(provider, u[provider.exists() ? i : rows - 1]);
  if (!result.owner || !provider.exists()) return;
  drawn[i] = result.category;
  total[i] = result.total;
}

template <class T>
__global__ void draw_by_warps(TableWeight<T> weight, std::int64_t rows, const double* u, std::int64_t* drawn,
                              double* total) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (i >= rows) return;
  const collective::ComputedRows<32, 1, TableWeight<T>> provider(weight, i, rows, weight.columns);
  const auto result = collective::draw_long_row(provider, u[i]);
  if (!result.owner) return;
  drawn[i] = result.category;
  total[i] = result.total;
}

template <class T>
void launch(int most, TableWeight<T> weight, std::int64_t rows, const double* u, std::int64_t* drawn, double* total) {
  const auto blocks = [&](int threads, int a_batch) {
    return static_cast<unsigned>((((rows + a_batch - 1) / a_batch) * threads + 63) / 64);
  };
#define PAPILIO_LAUNCH(n)                                                                           \
  if (most == n) {                                                                                  \
    using Shape = collective::BatchShape<n>;                                                        \
    draw_by_batches<n><<<blocks(Shape::threads, Shape::rows), 64>>>(weight, rows, u, drawn, total); \
  }
  PAPILIO_LAUNCH(16)
  PAPILIO_LAUNCH(32)
  PAPILIO_LAUNCH(64)
  PAPILIO_LAUNCH(128)
  PAPILIO_LAUNCH(256)
  PAPILIO_LAUNCH(512)
  PAPILIO_LAUNCH(1024)
#undef PAPILIO_LAUNCH
  if (most == 0) draw_by_warps<<<blocks(32, 1), 64>>>(weight, rows, u, drawn, total);
  execution::check_launch("a kernel of a test");
}

// Each row of `table` by its own u, by batches for rows of up to `most` categories (0: by warps),
// against the oracle.
template <class T>
void expect_draws(int most, const std::vector<T>& table, std::int64_t columns, const std::vector<double>& u) {
  const auto rows = static_cast<std::int64_t>(u.size());
  DeviceCopy<T> weights(table);
  DeviceCopy<double> numbers(u);
  DeviceCopy<std::int64_t> drawn(std::vector<std::int64_t>(u.size(), -7));
  DeviceCopy<double> total(std::vector<double>(u.size(), -7));
  launch(most, TableWeight<T>{weights.data(), columns}, rows, numbers.data(), drawn.data(), total.data());
  execution::check(cudaStreamSynchronize(nullptr), "a test");
  EXPECT_TRUE(drawn.gaps_intact());
  const auto categories = drawn.host();
  const auto totals = total.host();
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto begin = table.begin() + static_cast<std::int64_t>(i) * columns;
    const SlotOrder<T> order(WeightRow<T>{std::vector<T>(begin, begin + columns)});
    ASSERT_EQ(totals[i], order.total()) << columns << " categories by " << most << ", row " << i;
    ASSERT_EQ(categories[i], order.draw(u[i]).category) << columns << " categories by " << most << ", u " << u[i];
  }
}

// Sizes that a batch for rows of up to `most` categories takes.
std::vector<std::int64_t> sizes_for(int most) {
  if (most == 0) return {1, 33, 128, 1000, 1024, 1025, 2049, 5000, 40'000};
  const std::int64_t n = most;
  return n <= 128 ? std::vector<std::int64_t>{1, 3, n / 2 + 1, n - 5, n - 1, n}
                  : std::vector<std::int64_t>{n / 2 + 1, n - 129, n - 3, n};
}
constexpr int all_shapes[] = {0, 16, 32, 64, 128, 256, 512, 1024};

template <class T>
class CudaDeviceFunctions : public CudaTest {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaDeviceFunctions, Types);

// Sixty-four ones in each row, and every boundary t / 64, its neighbours, 0 and the last number below 1.
TYPED_TEST(CudaDeviceFunctions, EveryBoundary) {
  std::mt19937_64 bits(1);
  std::vector<double> numbers = {0, 0x1p-53, 1 - 0x1p-53};
  for (int t = 1; t < 64; ++t)
    for (const double step : {-0x1p-53, 0.0, 0x1p-53}) numbers.push_back(t / 64.0 + step);
  for (const int most : all_shapes)
    for (const std::int64_t columns : sizes_for(most)) {
      std::vector<TypeParam> table(numbers.size() * static_cast<std::size_t>(columns));
      for (std::size_t i = 0; i < numbers.size(); ++i)
        for (int one = 0; one < 64; ++one)
          table[i * static_cast<std::size_t>(columns) + bits() % static_cast<std::size_t>(columns)] += 1;
      ASSERT_NO_FATAL_FAILURE(expect_draws(most, table, columns, numbers));
    }
}

TYPED_TEST(CudaDeviceFunctions, RealWeightsAndManyZeros) {
  std::mt19937_64 bits(2);
  const auto uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  for (const int most : all_shapes)
    for (const std::int64_t columns : sizes_for(most))
      for (const double zeros : {0.0, 0.9}) {
        std::vector<double> numbers(77);
        std::vector<TypeParam> table;
        for (double& u : numbers) {
          u = uniform();
          for (std::int64_t k = 0; k < columns; ++k)
            table.push_back(uniform() < zeros ? TypeParam{0} : static_cast<TypeParam>(uniform()));
          table.back() = static_cast<TypeParam>(0.5);
        }
        ASSERT_NO_FATAL_FAILURE(expect_draws(most, table, columns, numbers));
      }
}

// Beside the exact boundaries, as far as sums are rounded: there a walk ends past its slot or
// lane now and then, and has to come back as the definition says.
TYPED_TEST(CudaDeviceFunctions, BesideBoundariesOfRoundedSums) {
  std::mt19937_64 bits(3);
  constexpr int near = 8;
  const double step = std::is_same_v<TypeParam, float> ? 0x1p-27 : 0x1p-53;
  std::int64_t overshot = 0;
  for (const int most : all_shapes)
    for (const std::int64_t columns : sizes_for(most)) {
      const auto walk = slot_walk(columns);
      std::vector<double> numbers;
      std::vector<TypeParam> table;
      for (int boundary = 0; boundary < 40; ++boundary) {
        WeightRow<TypeParam> row;
        for (std::int64_t k = 0; k < columns; ++k)
          row.left.push_back(static_cast<TypeParam>(static_cast<double>(bits() >> 11) * 0x1p-53));
        const ExactIntervals<TypeParam> exact(row, walk);
        const SlotOrder<TypeParam> order(row);
        const double u = static_cast<double>(exact.boundaries()[bits() % walk.size()] / exact.total());
        for (int i = -near; i <= near; ++i) {
          numbers.push_back(std::clamp(u + i * step, 0.0, 1 - 0x1p-53));
          table.insert(table.end(), row.left.begin(), row.left.end());
          overshot += order.draw(numbers.back()).overshot ? 1 : 0;
        }
      }
      ASSERT_NO_FATAL_FAILURE(expect_draws(most, table, columns, numbers));
    }
  // No u lies between a boundary of doubles and the next, so that few go astray there.
  if (std::is_same_v<TypeParam, float>) EXPECT_GT(overshot, 100);
}

// A row in the last batch that is not there is not read past the table, nor written.
TYPED_TEST(CudaDeviceFunctions, SmokeOfBatchesThatAreNotFull) {
  for (const int most : all_shapes)
    for (const std::size_t rows : {1, 2, 9, 33}) {
      const std::int64_t columns = sizes_for(most).front();
      ASSERT_NO_FATAL_FAILURE(
          expect_draws(most, std::vector<TypeParam>(rows * static_cast<std::size_t>(columns), TypeParam{1}), columns,
                       std::vector<double>(rows, 0.7)));
    }
}

}  // namespace
}  // namespace papilio::testing
