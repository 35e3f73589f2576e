#include "lda/evaluation/fold_in/kernels.h"

#include "execution/cpu/kernel_tables.h"

PAPILIO_KERNEL_TABLES(lda::fold_in::FoldInKernels, fold_in_kernels)  // of kernels_cpu.cpp

namespace papilio::lda::fold_in {

const FoldInKernels& kernels_in_use() { return execution::fold_in_kernels_in_use(); }

}  // namespace papilio::lda::fold_in
