#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "lda/evaluation/fold_in/word_lists_cuda.h"

// theta of documents by the fixed point of ListedPhi::fold_in, on a CUDA device, and the probabilities of words under
// it: a block has a document. All pointers are to the memory of the current device.

namespace papilio::lda {

struct FoldIn {
  WordLists lists = {};
  const double* alpha = nullptr;  // K
  double beta = 0;
  int steps = 0;

  const std::int32_t* order = nullptr;    // of the documents, those with more words first
  const std::int64_t* offsets = nullptr;  // documents + 1, of rows and counts
  const std::int32_t* rows = nullptr;     // lists, of each distinct word of a document in ascending order
  const std::int32_t* counts = nullptr;   // > 0
  double* factors = nullptr;              // a place for each

  const std::int64_t* scored_offsets = nullptr;  // documents + 1
  const std::int32_t* scored_rows = nullptr;     // words whose probability is asked for
  double* probabilities = nullptr;               // of these; null: none are
  float* theta = nullptr;                        // documents x K; null: not asked for

  // Where 2 K doubles have no room in shared memory.
  double* scratch = nullptr;
};

// Entries of scratch that are needed; 0 where shared memory has room.
std::int64_t fold_in_scratch(std::int32_t topics);

// words[i]: how many distinct words document order[i] has, in the host's memory; descending.
void queue_fold_in(const FoldIn& fold_in, const std::int32_t* words, std::int64_t documents, cudaStream_t stream);

}  // namespace papilio::lda
