// What the library takes for the code that the device runs, and what that code says of itself.

#include <gtest/gtest.h>

#include "cuda/support.h"
#include "execution/cuda/code_for_90.h"

namespace papilio::testing {
namespace {

using CodeFor90 = CudaTest;

__global__ void say_version([[maybe_unused]] int* version) {
#if defined(__CUDA_ARCH__)
  *version = __CUDA_ARCH__;
#endif
}

TEST_F(CodeFor90, IsWhatTheDeviceRuns) {
  DeviceCopy<int> version(std::vector<int>{0});
  say_version<<<1, 1>>>(version.data());
  ASSERT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(execution::runs_code_for_90(), version.host()[0] >= 900) << version.host()[0];
  EXPECT_EQ(execution::runs_code_for_90(), version.host()[0] >= 900) << "asked again";
}

}  // namespace
}  // namespace papilio::testing
