#pragma once

#include <memory>

#include "lda/training/sweep_cuda.h"

namespace papilio::lda {

// The sparse parallel sweep of a part of a corpus on a GPU, whose counts are those of all ranks: as
// make_sparse_sweep_of_rank has it on the CPU, by larger blocks of words. While a block's tokens are drawn, others are
// counted and added up. Throws DeviceError where memory is short.
std::unique_ptr<CudaSweep> make_sparse_cuda_sweep_of_rank(const CudaStart& start);

}  // namespace papilio::lda
