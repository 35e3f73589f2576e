// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "lda/training/sparse/by_document/draws_kernel.h"
#include "lda/training/sparse/kernels.h"
#include "lda/training/sparse/parallel/draws_kernel.h"
#include "lda/training/sparse/token_uniforms_kernel.h"

namespace papilio::inline PAPILIO_TARGET {

extern const lda::sparse::Kernels sparse_kernels;
const lda::sparse::Kernels sparse_kernels = {&sparse_kernel::draw<lda::sparse::NarrowEntry>,
                                             &sparse_kernel::draw<lda::sparse::WideEntry>, &by_document_kernel::draw,
                                             &sparse_kernel::token_uniforms};

}  // namespace papilio::inline PAPILIO_TARGET
