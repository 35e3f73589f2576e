#pragma once

#include <cstdint>

#include "lda/training/log_joint/term_sums_cuda.h"

namespace papilio::lda {

// One thread's share of a sum.
struct AddTerms {
  TermSums sums;
  long long share = 0;

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
  // All lanes of a warp come here.
  __device__ void finish() {
    for (int distance = 16; distance > 0; distance /= 2) share += __shfl_xor_sync(0xffffffffu, share, distance);
    if ((threadIdx.x & 31u) == 0 && share != 0) {
      atomicAdd(reinterpret_cast<unsigned long long*>(sums.sum), static_cast<unsigned long long>(share));
    }
  }
};

}  // namespace papilio::lda
