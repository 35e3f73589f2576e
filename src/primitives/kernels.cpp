#include "primitives/kernels.h"

#include "execution/cpu/kernel_tables.h"

PAPILIO_KERNEL_TABLES(primitives::Kernels, primitive_kernels)  // of exact_sums_cpu.cpp

namespace papilio::primitives {

const Kernels& kernels_in_use() { return execution::primitive_kernels_in_use(); }

}  // namespace papilio::primitives
