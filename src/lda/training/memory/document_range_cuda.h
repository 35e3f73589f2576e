#pragma once

#include <cstdint>

#include "execution/cuda/check.h"

namespace papilio::lda {

// Documents of a corpus that follow one another, in the memory of a CUDA device.
struct DocumentRange {
  const std::int64_t* offsets = nullptr;  // documents + 1, counted from the corpus's first token
  std::int64_t documents = 0;
  std::int64_t first_document = 0;  // the number in the corpus of the first one
  std::int64_t first_token = 0;     // offsets[0]
  std::int64_t tokens = 0;
  const std::int32_t* words = nullptr;
  std::int32_t* z = nullptr;
  cudaStream_t stream = nullptr;  // on which work on this range is queued
};

}  // namespace papilio::lda
