#include "lda/training/sequential/kernels.h"

#include "execution/cpu/kernel_tables.h"

PAPILIO_KERNEL_TABLES(lda::SequentialKernelTable, sequential_kernels)  // of targets/sequential_kernels_cpu.cpp

namespace papilio::lda {

const SequentialKernelTable& sequential_kernel_table() { return execution::sequential_kernels_in_use(); }

}  // namespace papilio::lda
