// The conversions of 16-bit and 8-bit numbers on a device, all of them, by every load there is.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cuda/support.h"
#include "papilio/half.h"
#include "sampling/rows/memory_rows_cuda.cuh"

namespace papilio::testing {
namespace {

// `count` numbers, n at a time.
template <int n, class S>
__global__ void load_all(const S* from, float* to, int count) {
  const int at = n * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= count) return;
  float x[n];
  sampling_kernel::load<n>(from + at, x);
  for (int i = 0; i < n; ++i) to[at + i] = x[i];
}
template <class S>
__global__ void decode_all(const S* from, float* to, int count) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < count) to[at] = sampling_kernel::decoded(from[at]);
}

template <class S>
class CudaNarrowNumbers : public CudaTest {
 protected:
  template <class Kernel>
  void expect_floats(Kernel kernel, const char* what) {
    constexpr int count = sizeof(S) == 1 ? 256 : 65536;
    std::vector<S> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back({static_cast<decltype(S::bits)>(i)});
    DeviceCopy<S> from(numbers);
    DeviceCopy<float> to(std::vector<float>(count, -7.0F));
    kernel<<<(count + 127) / 128, 128>>>(static_cast<const S*>(from.data()), to.data(), count);
    execution::check_launch("a test's kernel");
    const std::vector<float> found = to.host();
    for (int i = 0; i < count; ++i) {
      const float expected = to_float(numbers[static_cast<std::size_t>(i)]), got = found[static_cast<std::size_t>(i)];
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(got)) << what << " of " << i << ": " << got;
      else
        ASSERT_EQ(std::memcmp(&got, &expected, sizeof got), 0) << what << " of " << i << ": " << got;
    }
    EXPECT_TRUE(to.gaps_intact());
  }
};
using NarrowTypes = ::testing::Types<Half, BFloat16, Float8E4M3FN, Float8E5M2>;
TYPED_TEST_SUITE(CudaNarrowNumbers, NarrowTypes);

TYPED_TEST(CudaNarrowNumbers, AreTheirFloats) {
  this->expect_floats(decode_all<TypeParam>, "the number");
  this->expect_floats(load_all<1, TypeParam>, "one at a time");
  this->expect_floats(load_all<2, TypeParam>, "two at a time");
  this->expect_floats(load_all<4, TypeParam>, "four at a time");
}

}  // namespace
}  // namespace papilio::testing
