#include "primitives/tridiagonal/kernels.h"

#include "execution/cpu/kernel_tables.h"

PAPILIO_KERNEL_TABLES(primitives::TridiagonalKernels, tridiagonal_table)  // of tridiagonal_cpu.cpp

namespace papilio::primitives {

const TridiagonalKernels& tridiagonal_kernels() { return execution::tridiagonal_table_in_use(); }

}  // namespace papilio::primitives
