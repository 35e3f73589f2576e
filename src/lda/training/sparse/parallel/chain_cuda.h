#pragma once

#include <memory>

#include "lda/training/chain.h"
#include "lda/training/sparse/parallel/draws_cuda.h"
#include "lda/training/sparse/parallel/layout_cuda.h"

namespace papilio::lda {

// How a device goes about sparse sweeps. Nothing here changes a draw.
struct SparseTuning {
  SparseCut cut = {};
  int threads = 0;            // for an item of many tokens; 0: by the number of topics
  bool is_wide = false;       // WidePacking also where the narrow one would do
  bool global_rows = false;   // rows of phi in global memory also where shared memory would do
  bool draws_beside = true;   // items of few tokens while others are drawn
  bool counts_parts = false;  // draws are counted by their parts
};

// A chain of sparse sweeps on a CUDA device.
class SparseChain : public Chain {
 public:
  // Of the last sweep; waits for it. The parts only where they are counted.
  virtual SparseCounters counters() = 0;

  // Of the device's memory, held by the chain's arrays.
  virtual std::int64_t bytes() const = 0;
};

// Starts it on options.device, from uniform topics or those of `resume`; collapsed or mean_for_mode. Throws
// InvalidArgument for more than 2^32 - 1 tokens, DeviceError where memory is short.
std::unique_ptr<SparseChain> start_sparse_chain_on_cuda(const CorpusView& corpus, const TrainOptions& options,
                                                        const ChainState* resume, const SparseTuning& tuning = {});

}  // namespace papilio::lda
