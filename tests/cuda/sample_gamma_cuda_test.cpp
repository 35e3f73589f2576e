// papilio::sample_gamma on a CUDA device: the bits of the CPU.

#include <cmath>
#include <limits>
#include <random>

#include "cuda/support.h"
#include "papilio/gamma.h"

namespace papilio::testing {
namespace {

class SampleGammaOnCuda : public CudaTest {};

std::vector<float> some_shapes(std::int64_t count) {
  std::mt19937 bits(4);
  std::uniform_real_distribution<double> exponent(-4, 6);
  std::vector<float> shapes(static_cast<std::size_t>(count));
  for (float& shape : shapes) shape = static_cast<float>(std::pow(10.0, exponent(bits)));
  return shapes;
}

void expect_same(const std::vector<float>& shapes, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                 std::int64_t column_stride, std::vector<std::int64_t> ids = {}) {
  const std::int64_t stride = columns + 3;
  std::vector<float> expected(static_cast<std::size_t>(rows * stride), -7.0f);
  DeviceCopy<float> drawn(expected), there(shapes);
  DeviceCopy<std::int64_t> numbers(ids);
  GammaOptions options = {.seed = 0x1234'5678'9abc'def0, .stream = 3, .first_row_id = 1ull << 33, .row_ids = ids};
  sample_gamma({shapes.data(), rows, columns, row_stride, column_stride}, {expected.data(), rows, columns, stride},
               options);
  options.row_ids = numbers.view();
  sample_gamma({there.data(), rows, columns, row_stride, column_stride, Device::cuda()},
               {drawn.data(), rows, columns, stride, 1, Device::cuda()}, options);
  execution::check(cudaDeviceSynchronize(), "a test");
  EXPECT_EQ(drawn.host(), expected) << rows << " x " << columns;
  EXPECT_TRUE(drawn.gaps_intact());
}

TEST_F(SampleGammaOnCuda, GivesTheBitsOfTheCpu) {
  for (const std::int64_t columns : {1, 2, 31, 32, 33, 100, 127, 128, 129, 500, 1024, 5000}) {
    const std::int64_t rows = 20'011 / columns + 3;
    expect_same(some_shapes(rows * columns), rows, columns, columns, 1);
  }
  expect_same(some_shapes(100'003), 100'003, 1, 1, 1);
}

TEST_F(SampleGammaOnCuda, TakesStridesAndRowNumbers) {
  expect_same(some_shapes(300 * 71), 300, 71, 1, 300);
  expect_same(some_shapes(71), 300, 71, 0, 1);
  expect_same({0.25f}, 300, 71, 0, 0);
  std::vector<std::int64_t> ids(300);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i * 977 % 1009);
  expect_same(some_shapes(300 * 71), 300, 71, 71, 1, ids);
}

// `there` holds some shapes that are none; `drawn` is another array or the same.
void expect_nan_for_what_is_no_shape(bool in_place) {
  constexpr std::int64_t rows = 10, columns = 200;
  std::vector<float> good = some_shapes(rows * columns);
  for (std::size_t i = 0; i < good.size(); i += 7) good[i] = 0x1p-126f;  // whose draws are 0
  std::vector<float> shapes = good, expected(good.size());
  sample_gamma({good.data(), rows, columns}, {expected.data(), rows, columns}, {.seed = 1});
  const float bad[] = {0.0f, -1.0f, 1e-40f, std::numeric_limits<float>::infinity(), std::nanf("")};
  for (std::size_t i = 0; i < std::size(bad); ++i) shapes[137 * i + 5] = bad[i];
  DeviceCopy<float> there(shapes), apart(std::vector<float>(shapes.size()));
  DeviceCopy<float>& drawn = in_place ? there : apart;
  sample_gamma({there.data(), rows, columns, columns, 1, Device::cuda()},
               {drawn.data(), rows, columns, columns, 1, Device::cuda()}, {.seed = 1});
  execution::check(cudaDeviceSynchronize(), "a test");
  const std::vector<float> found = drawn.host();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_bad = i % 137 == 5 && i / 137 < std::size(bad);
    EXPECT_TRUE(is_bad ? std::isnan(found[i]) : found[i] == expected[i]) << i << ": " << found[i];
  }
}

TEST_F(SampleGammaOnCuda, GivesNotANumberForWhatIsNoShape) { expect_nan_for_what_is_no_shape(false); }
TEST_F(SampleGammaOnCuda, GivesNotANumberForWhatIsNoShapeInPlace) { expect_nan_for_what_is_no_shape(true); }

TEST_F(SampleGammaOnCuda, SmokeDrawsInPlace) {
  constexpr std::int64_t rows = 40, columns = 1000;
  const std::vector<float> shapes = some_shapes(rows * columns);
  std::vector<float> expected(shapes.size());
  sample_gamma({shapes.data(), rows, columns}, {expected.data(), rows, columns}, {.seed = 2});
  DeviceCopy<float> there(shapes);
  sample_gamma({there.data(), rows, columns, columns, 1, Device::cuda()},
               {there.data(), rows, columns, columns, 1, Device::cuda()}, {.seed = 2});
  execution::check(cudaDeviceSynchronize(), "a test");
  EXPECT_EQ(there.host(), expected);
}

}  // namespace
}  // namespace papilio::testing
