#pragma once

#include <memory>

#include "lda/training/sparse/parallel/layout_cuda.h"
#include "lda/training/sweep_cuda.h"

namespace papilio::lda {

// How a device goes about sparse sweeps of all tokens at once. Nothing here changes a draw.
struct SparseParallelTuning {
  SparseCut cut = {};
  int threads = 0;            // for an item of many tokens; 0: by the number of topics
  bool is_wide = false;       // wide entries also where narrow ones would do
  bool global_rows = false;   // rows of phi in global memory also where shared memory would do
  bool by_pair = false;       // tokens of a word and a document share the document's sums also in short documents
  bool draws_beside = true;   // items of few tokens while others are drawn
  bool counts_parts = false;  // draws are counted by their parts
};

// Sparse sweeps of all tokens at once, as make_sparse_parallel_sweep has them on the CPU: the same draws. Throws
// DeviceError where memory is short.
std::unique_ptr<CudaSweep> make_sparse_parallel_sweep(const CudaStart& start, const SparseParallelTuning& tuning);

}  // namespace papilio::lda
