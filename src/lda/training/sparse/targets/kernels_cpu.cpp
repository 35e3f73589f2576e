// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "lda/training/sparse/by_document/draws_kernel.h"
#include "lda/training/sparse/kernels.h"
#include "lda/training/sparse/parallel/draws_kernel.h"
#include "lda/training/sparse/token_uniforms_kernel.h"
#if defined(__AVX512F__)
#include "lda/training/sparse/parallel/in_lanes/draws_kernel.h"
#endif

namespace papilio::inline PAPILIO_TARGET {

extern const lda::sparse::Kernels sparse_kernels;
const lda::sparse::Kernels sparse_kernels = {
#if defined(__AVX512F__)
    &sparse_kernel::draw_in_lanes,
#else
    &sparse_kernel::draw<lda::sparse::NarrowEntry>,
#endif
    &sparse_kernel::draw<lda::sparse::WideEntry>, &by_document_kernel::draw, &sparse_kernel::token_uniforms};

}  // namespace papilio::inline PAPILIO_TARGET
