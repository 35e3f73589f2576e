#include "lda/evaluation/fold_in/kernels.h"

#include <cstddef>

#include "execution/cpu/target.h"

// One table per target, each from a compilation of kernels_cpu.cpp.
namespace papilio {
#define PAPILIO_DECLARE(target, runs)                       \
  namespace target {                                        \
  extern const lda::fold_in::FoldInKernels fold_in_kernels; \
  }
PAPILIO_SIMD_TARGETS(PAPILIO_DECLARE)
#undef PAPILIO_DECLARE
}  // namespace papilio

namespace papilio::lda::fold_in {

const FoldInKernels& kernels_in_use() {
#define PAPILIO_KERNELS(target, runs) &target::fold_in_kernels,
  static constexpr const FoldInKernels* kernels[] = {PAPILIO_SIMD_TARGETS(PAPILIO_KERNELS)};
#undef PAPILIO_KERNELS
  return *kernels[static_cast<std::size_t>(execution::cpu_target())];
}

}  // namespace papilio::lda::fold_in
