#pragma once

#include <cstdint>

#include "execution/cuda/memory.h"
#include "lda/model/seeds.h"

namespace papilio::lda {

// The initial contents of tables of counts on the current CUDA device: the counts of seeds.
class SeedsOnDevice {
 public:
  // Work is queued on the stream, and waited for if it reads host memory.
  SeedsOnDevice(const Seeds& seeds, cudaStream_t stream);

  // Sets n_k (K entries) to s_k, which is 0 without seeds.
  void start_topics(execution::DeviceArray<std::int64_t>& n_k, cudaStream_t stream) const;

  // Sets a row of n_wk, whose `stride` counts are 0, to s_wk of one word's seed words.
  static void start_word(std::span<const SeedWord> word, std::int32_t* row, std::int64_t stride, cudaStream_t stream);

  std::int64_t bytes() const { return s_k_.bytes(); }

 private:
  execution::DeviceArray<std::int64_t> s_k_;  // K; empty without seeds
};

}  // namespace papilio::lda
