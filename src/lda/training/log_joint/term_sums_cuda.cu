#include "lda/training/log_joint/term_sums_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "lda/training/log_joint/add_terms_cuda.cuh"
#include "lda/training/parameters/document_counts_cuda.cuh"

namespace papilio::lda {
namespace {

__global__ void add_word_terms(const int4* counts, std::int64_t quads, AddTerms terms) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t q = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; q < quads; q += step) {
    terms(0, 0, counts[q]);
  }
  terms.finish();
}

}  // namespace

void queue_document_terms(const DocumentRange& range, std::int32_t topics, const TermSums& sums) {
  queue_on_documents(range, topics, AddTerms{sums});
}

void queue_word_terms(const std::int32_t* n_wk, std::int64_t entries, const TermSums& sums, cudaStream_t stream) {
  const std::int64_t quads = entries / 4;
  const std::int64_t blocks = std::clamp<std::int64_t>(base::ceil_div<std::int64_t>(quads, threads_per_block), 1,
                                                       std::int64_t{execution::multiprocessors()} * 16);
  add_word_terms<<<static_cast<unsigned>(blocks), threads_per_block, 0, stream>>>(reinterpret_cast<const int4*>(n_wk),
                                                                                  quads, AddTerms{sums});
  execution::check_launch("adding the likelihood's terms");
}

}  // namespace papilio::lda
