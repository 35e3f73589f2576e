#pragma once

#include <cstdint>

#include "collective/block.cuh"
#include "collective/warp_scan.cuh"
#include "lda/training/log_joint/term_sums_cuda.h"

namespace papilio::lda {

// One thread's part of a sum.
struct AddTerms {
  TermSums sums;
  std::int64_t share = 0;

  __device__ void add(std::int32_t topic, int n) {
    if (n == 0) return;
    if (n < sums.tabulated) {
      share += sums.terms[topic * sums.topic_stride + n];
    } else {
      sums.larger[atomicAdd(sums.larger_count, 1)] = {n, topic};
    }
  }
  __device__ void operator()(std::int64_t, std::int32_t topic, int4 n) {
    add(topic, n.x);
    add(topic + 1, n.y);
    add(topic + 2, n.z);
    add(topic + 3, n.w);
  }
  // All lanes of a warp call this.
  __device__ void finish() {
    const std::int64_t sum = cuda::collective::warp_sum(share);
    if (threadIdx.x % 32 == 0 && sum != 0) cuda::collective::atomic_add(sums.sum, sum);
  }
};

}  // namespace papilio::lda
