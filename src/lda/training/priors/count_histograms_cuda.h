#pragma once

#include <cstdint>

#include "lda/training/log_joint/term_sums_cuda.h"
#include "lda/training/memory/document_range_cuda.h"

// How often each count occurs, on a CUDA device: CountHistogram for all n_dk of each topic, and for all n_wk. The
// frequencies are integers, so sums computed from them equal the CPU's.

namespace papilio::lda {

// Counts of 0 are not recorded. Row r of `counts` has at [n] how often n occurs and, at [first_large_count], how often
// first_large_count or a larger count occurs; these are also listed in `larger`.
struct CountHistograms {
  std::uint32_t* counts = nullptr;
  std::int64_t stride = 0;
  std::uint32_t copies = 0;      // 0: a row per topic; else how many rows add up to the histogram of all topics
  LargeCount* larger = nullptr;  // large counts, appended
  std::int32_t* larger_count = nullptr;
};

// Adds n_dk for all documents of the range and all topics.
void queue_document_histograms(const DocumentRange& range, std::int32_t topics, const CountHistograms& histograms);

// Adds `entries` counts, a multiple of 4, to histograms that are copies.
void queue_word_histogram(const std::int32_t* n_wk, std::int64_t entries, const CountHistograms& histograms,
                          cudaStream_t stream);

}  // namespace papilio::lda
