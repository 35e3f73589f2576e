// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "lda/evaluation/fold_in/fold_in_kernel.h"

namespace papilio::inline PAPILIO_TARGET {

extern const lda::fold_in::FoldInKernels fold_in_kernels;
const lda::fold_in::FoldInKernels fold_in_kernels = {&fold_in_kernel::list_topics, &fold_in_kernel::sum_lists,
                                                     &fold_in_kernel::make_factors, &fold_in_kernel::sum_slices,
                                                     &fold_in_kernel::fold};

}  // namespace papilio::inline PAPILIO_TARGET
