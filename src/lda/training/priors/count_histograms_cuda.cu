#include "lda/training/priors/count_histograms_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "lda/training/parameters/document_counts_cuda.cuh"
#include "lda/training/priors/add_to_histograms_cuda.cuh"

namespace papilio::lda {
namespace {

__global__ void add_word_counts(const int4* counts, std::int64_t quads, AddToHistograms to) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t q = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; q < quads; q += step) {
    to(0, 0, counts[q]);
  }
}

}  // namespace

void queue_document_histograms(const DocumentRange& range, std::int32_t topics, const CountHistograms& histograms) {
  queue_on_documents(range, topics, AddToHistograms{histograms});
}

void queue_word_histogram(const std::int32_t* n_wk, std::int64_t entries, const CountHistograms& histograms,
                          cudaStream_t stream) {
  const std::int64_t quads = entries / 4;
  const std::int64_t blocks = std::clamp<std::int64_t>(base::ceil_div<std::int64_t>(quads, threads_per_block), 1,
                                                       std::int64_t{execution::multiprocessors()} * 16);
  add_word_counts<<<static_cast<unsigned>(blocks), threads_per_block, 0, stream>>>(reinterpret_cast<const int4*>(n_wk),
                                                                                   quads, AddToHistograms{histograms});
  execution::check_launch("counting counts");
}

}  // namespace papilio::lda
