#pragma once

#include <cstdint>

#include "collective/warp_scan.cuh"
#include "lda/training/sparse/parallel/word_part_cuda.cuh"

// A word of at most tokens_of_rare tokens, in the registers of so many neighbouring threads, one for each token. Sums
// are those of word_part_cuda.cuh.

namespace papilio::lda {

class RareWord {
 public:
  static constexpr std::int32_t no_topic = 0x7FFFFFFF;

  // topic: of the thread's token; no_topic where it has none. All threads of the warp come here.
  __device__ __forceinline__ RareWord(const PaddedTopicMasses& all_masses, std::int32_t topic)
      : masses(all_masses), beta_(static_cast<float>(all_masses.beta)) {
    static_assert(tokens_of_rare == 4);
#pragma unroll
    for (int i = 0; i < tokens_of_rare; ++i) {
      topics_[i] = __shfl_sync(cuda::collective::all_threads, topic, i, tokens_of_rare);
    }
    order(0, 1), order(2, 3), order(0, 2), order(1, 3), order(1, 2);
#pragma unroll
    for (int i = 0; i < tokens_of_rare; ++i) {
      if (topics_[i] != no_topic) mass += __ldg(masses.word_masses + topics_[i]);
    }
  }

  __device__ __forceinline__ float phi(std::int32_t k) const {
    return sparse::phi_of_count(count(k), beta_, __ldg(masses.inverse + k));
  }

  __device__ __forceinline__ std::int32_t count(std::int32_t k) const {
    std::int32_t n = 0;
#pragma unroll
    for (int i = 0; i < tokens_of_rare; ++i) n += topics_[i] == k ? 1 : 0;
    return n;
  }

  // As WordOfItem::find.
  __device__ __forceinline__ std::int32_t find(std::uint64_t x, std::int32_t without, std::uint64_t) const {
    std::uint64_t sum = 0;
    std::int32_t found = no_topic;
#pragma unroll
    for (int i = 0; i < tokens_of_rare; ++i) {
      const std::int32_t k = topics_[i];
      if (k == no_topic || k == without || found != no_topic) continue;
      sum += __ldg(masses.word_masses + k);
      if (sum > x) found = k;
    }
    return found;
  }

  const PaddedTopicMasses& masses;
  std::uint64_t mass = 0;  // of the word part

 private:
  __device__ __forceinline__ void order(int i, int j) {
    const std::int32_t a = topics_[i], b = topics_[j];
    topics_[i] = min(a, b), topics_[j] = max(a, b);
  }

  const float beta_;
  std::int32_t topics_[tokens_of_rare];  // of its tokens, in ascending order
};

}  // namespace papilio::lda
