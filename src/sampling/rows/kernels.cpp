#include "sampling/rows/kernels.h"

#include "execution/cpu/kernel_tables.h"

PAPILIO_KERNEL_TABLES(sampling::Kernels, sampling_kernels)  // of kernels_cpu.cpp

namespace papilio::sampling {

const Kernels& kernels_in_use() { return execution::sampling_kernels_in_use(); }

}  // namespace papilio::sampling
