#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "lda/evaluation/fold_in/word_lists_cuda.h"

// theta of documents by the fixed point of ListedPhi::fold_in, on a CUDA device, and the probabilities of words under
// it; one block per document. All pointers are to the memory of the current device.

namespace papilio::lda {

struct FoldIn {
  WordLists lists = {};
  const double* alpha = nullptr;  // K
  double beta = 0;
  int steps = 0;

  const std::int32_t* order = nullptr;    // the documents, by descending number of words
  const std::int64_t* offsets = nullptr;  // documents + 1, into rows and counts
  const std::int32_t* rows = nullptr;     // numbers of lists: each distinct word of a document, ascending
  const std::int32_t* counts = nullptr;   // > 0
  double* factors = nullptr;              // one entry for each row

  const std::int64_t* scored_offsets = nullptr;  // documents + 1
  const std::int32_t* scored_rows = nullptr;     // the words whose probability is asked for
  double* probabilities = nullptr;               // of scored_rows; null: not asked for
  float* theta = nullptr;                        // documents x K; null: not asked for

  // Needed if 2 K doubles do not fit into shared memory.
  double* scratch = nullptr;
};

// The number of entries that scratch needs; 0 if shared memory is large enough.
std::int64_t fold_in_scratch(std::int32_t topics);

// words[i], in the host's memory: the number of distinct words of document order[i]; descending.
void queue_fold_in(const FoldIn& fold_in, const std::int32_t* words, std::int64_t documents, cudaStream_t stream);

}  // namespace papilio::lda
