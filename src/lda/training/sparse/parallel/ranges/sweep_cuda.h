#pragma once

#include <cstdint>
#include <memory>

#include "lda/training/sparse/parallel/item_draws_cuda.h"
#include "lda/training/sparse/parallel/ranges/range_plan.h"
#include "lda/training/sweep_cuda.h"

namespace papilio::lda {

// Sparse sweeps over ranges of documents (ranges_cuda.h), one range after another, with one table of n_wk at the start
// of the sweep. They make the draws of sweeps over all documents at once. Takes plan.bytes of the device for tokens.
// With start.ranks, the tables are the sums over all ranks' tokens, computed once per sweep.
template <class Entry>
std::unique_ptr<CudaSweep> make_sweep_by_ranges(const CudaStart& start, const SparseParallelTuning& tuning,
                                                const RangePlan& plan);

// How many bytes its two tables of n_wk take.
std::int64_t range_table_bytes(std::int64_t words, std::int32_t topics);

}  // namespace papilio::lda
