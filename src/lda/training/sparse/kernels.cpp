#include "lda/training/sparse/kernels.h"

#include "execution/cpu/kernel_tables.h"

PAPILIO_KERNEL_TABLES(lda::sparse::Kernels, sparse_kernels)  // of targets/kernels_cpu.cpp

namespace papilio::lda::sparse {

const Kernels& kernels_in_use() { return execution::sparse_kernels_in_use(); }

}  // namespace papilio::lda::sparse
