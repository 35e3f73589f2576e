#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "lda/training/dense/parallel_cuda.h"
#include "lda/training/sparse/by_document/batch.h"
#include "lda/training/sparse/statistics.h"

// Sparse draws of theta_collapsed on a CUDA device, bit for bit those of draws_kernel.h: the tokens of each document
// are drawn one after another, by word, given phi. docs/lda/sparse.md has the formulas.

namespace papilio::lda {

// Tuning parameters for a device. None of them changes a draw.
struct ByDocumentTuning {
  std::int32_t most_topics_in_shared = 8192;  // with more, a document's counts are in global memory
  std::int32_t documents_to_ask_ahead = 0;    // per multiprocessor; with more, phi is not prefetched
};

// Pointers are to memory of the current device.
struct SparseByDocumentDraw {
  TopicDraw draw;           // an item is a whole document; the longest come first; theta and removal are not used
  sparse::PriorPart prior;  // the same phi, and its sums
  std::int64_t long_documents = 0;
  std::int64_t very_long_documents = 0;
  const std::int32_t* by_word = nullptr;     // of RangeOnDevice
  float* rows = nullptr;                     // counted_document_row() floats for each document of the items
  sparse::Statistics* statistics = nullptr;  // added to
};

// The lines of 16 into which K topics are divided, rounded up to a multiple of 4 lines, and the 64-bit words of bits
// that say which topics of a lane the document has.
constexpr std::int32_t document_lines(std::int32_t topics) {
  return base::round_up(base::ceil_div(topics, sparse::topics_per_line), 4);
}
constexpr std::int32_t document_line_words(std::int32_t topics) { return base::ceil_div(document_lines(topics), 64); }

// What these bits and a document's counts, of 4, 2 or 1 bytes each, take together.
constexpr std::int64_t counted_document_bytes(std::int32_t topics, std::int64_t bytes_per_count) {
  return sparse::topics_per_line *
         (document_lines(topics) * bytes_per_count + document_line_words(topics) * std::int64_t{8});
}

// The number of floats per document in global memory.
constexpr std::int64_t counted_document_row(std::int32_t topics, const ByDocumentTuning& tuning) {
  return topics <= tuning.most_topics_in_shared ? 0 : counted_document_bytes(topics, 4) / 4;
}

// Computes the sums of `prior`, and sets entries of phi below the least normal float to 0.
void queue_prior_sums(const sparse::PriorPart& prior, float* phi, std::uint64_t* totals, std::uint64_t* sums,
                      std::int64_t words, cudaStream_t stream);

void queue_sparse_by_document_draws(const SparseByDocumentDraw& draw, const ByDocumentTuning& tuning,
                                    cudaStream_t stream);

}  // namespace papilio::lda
