#pragma once

#include <cstdint>

#include "lda/training/memory/document_range_cuda.h"

// Sums of the terms of log p(w, z) on a CUDA device, from tables that the host has made (LogJointTerms). Terms are
// integers, so the sums equal the CPU's.

namespace papilio::lda {

// A count without a term in the table.
struct LargeCount {
  std::int32_t count;
  std::int32_t topic;
};

// Where terms come from and where sums go, all in device memory.
struct TermSums {
  const std::int64_t* terms = nullptr;  // for the counts 0 ... tabulated - 1
  std::int64_t tabulated = 0;
  std::int64_t topic_stride = 0;  // from one topic's terms to the next one's; 0: all topics have the same terms
  LargeCount* larger = nullptr;   // other counts, appended for the host; room for N / tabulated
  std::int32_t* larger_count = nullptr;
  std::int64_t* sum = nullptr;  // sums are added to it
};

// Adds the terms of n_dk for all documents of the range and all topics.
void queue_document_terms(const DocumentRange& range, std::int32_t topics, const TermSums& sums);

// Adds the terms of `entries` counts, a multiple of 4. All topics must have the same terms.
void queue_word_terms(const std::int32_t* n_wk, std::int64_t entries, const TermSums& sums, cudaStream_t stream);

}  // namespace papilio::lda
