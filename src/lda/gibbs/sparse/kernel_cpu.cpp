// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "lda/gibbs/sparse/kernel.h"
#include "lda/gibbs/sparse/kernels.h"
#include "lda/gibbs/sparse/ordered_kernel.h"

namespace papilio::PAPILIO_TARGET {

const lda::sparse::Kernels sparse_kernels = {&sparse_kernel::draw<lda::sparse::NarrowEntry>,
                                             &sparse_kernel::draw<lda::sparse::WideEntry>, &ordered_kernel::draw};

}  // namespace papilio::PAPILIO_TARGET
