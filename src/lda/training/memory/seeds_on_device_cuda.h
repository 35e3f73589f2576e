#pragma once

#include <cstdint>

#include "execution/cuda/memory.h"
#include "lda/model/seeds.h"

namespace papilio::lda {

// What tables of counts on the current CUDA device begin with: the counts of seeds.
class SeedsOnDevice {
 public:
  // Work is put on the stream, and waited for where it reads the host's memory.
  SeedsOnDevice(const Seeds& seeds, cudaStream_t stream);

  // n_k: K; becomes s_k, which is 0 without seeds.
  void start_topics(execution::DeviceArray<std::int64_t>& n_k, cudaStream_t stream) const;

  // A row of n_wk, `stride` counts that are 0; becomes s_wk of these seed words of one word.
  static void start_word(std::span<const SeedWord> word, std::int32_t* row, std::int64_t stride, cudaStream_t stream);

  std::int64_t bytes() const { return s_k_.bytes(); }

 private:
  execution::DeviceArray<std::int64_t> s_k_;  // K; none without seeds
};

}  // namespace papilio::lda
