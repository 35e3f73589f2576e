// Kernels that several threads launch with different amounts of shared memory.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "cuda/support.h"
#include "execution/cuda/shared_bytes.h"
#include "papilio/error.h"

namespace papilio::testing {
namespace {

using SharedBytes = CudaTest;

__global__ void touch(int bytes) {
  extern __shared__ char memory[];
  if (threadIdx.x == 0) memory[bytes - 1] = 1;
}

int most_bytes() {
  int most = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  return most;
}

int allowed(const void* kernel) {
  cudaFuncAttributes attributes = {};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
  return attributes.maxDynamicSharedSizeBytes;
}

TEST_F(SharedBytes, AreNotLoweredByACallThatNeedsFewer) {
  const int many = most_bytes(), few = 1 << 10;
  execution::allow_shared_bytes(touch, many, "this test");
  execution::allow_shared_bytes(touch, few, "this test");
  EXPECT_GE(allowed(reinterpret_cast<const void*>(touch)), many);
}

TEST_F(SharedBytes, SufficeForEachOfSeveralThreads) {
  const int most = most_bytes();
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, most, &failed] {
      const int bytes = (most / 4) * (t + 1);
      for (int i = 0; i < 1000; ++i) {
        try {
          execution::allow_shared_bytes(touch, bytes, "this test");
        } catch (const Error&) {
          ++failed;
        }
        touch<<<1, 32, bytes>>>(bytes);
        if (cudaGetLastError() != cudaSuccess) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace papilio::testing
