#pragma once

#include <cstdint>

#include "lda/model/prior_steps.h"
#include "lda/training/priors/count_histograms_cuda.h"

namespace papilio::lda {

// Adds counts one after another, as AddTerms adds terms.
struct AddToHistograms {
  CountHistograms histograms;

  __device__ void add(std::int32_t topic, int n) {
    if (n == 0) return;
    const std::int64_t row = histograms.copies != 0 ? blockIdx.x % histograms.copies : topic;
    const bool is_large = n >= first_large_count;
    atomicAdd(histograms.counts + row * histograms.stride + (is_large ? first_large_count : n), 1u);
    if (is_large) histograms.larger[atomicAdd(histograms.larger_count, 1)] = {n, topic};
  }
  __device__ void operator()(std::int64_t, std::int32_t topic, int4 n) {
    add(topic, n.x);
    add(topic + 1, n.y);
    add(topic + 2, n.z);
    add(topic + 3, n.w);
  }
  __device__ void finish() const {}
};

}  // namespace papilio::lda
