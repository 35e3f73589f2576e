#pragma once

#include <cstdint>

#include "execution/cuda/check.h"

namespace papilio::lda {

// Consecutive documents of a corpus, in the memory of a CUDA device.
struct DocumentRange {
  const std::int64_t* offsets = nullptr;  // documents + 1, counted from the corpus's first token
  std::int64_t documents = 0;
  std::int64_t first_document = 0;  // number of the first document in the corpus
  std::int64_t first_token = 0;     // offsets[0]
  std::int64_t tokens = 0;
  const std::int32_t* words = nullptr;
  std::int32_t* z = nullptr;
  cudaStream_t stream = nullptr;  // work on this range is queued on it
};

}  // namespace papilio::lda
