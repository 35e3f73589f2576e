#include "lda/training/sequential/kernels.h"

#include <cstddef>

#include "execution/cpu/target.h"

// One table per target, each from a compilation of targets/sequential_kernels_cpu.cpp.
namespace papilio {
#define PAPILIO_DECLARE(target, runs)                         \
  namespace target {                                          \
  extern const lda::SequentialKernelTable sequential_kernels; \
  }
PAPILIO_SIMD_TARGETS(PAPILIO_DECLARE)
#undef PAPILIO_DECLARE
}  // namespace papilio

namespace papilio::lda {

const SequentialKernelTable& sequential_kernel_table() {
#define PAPILIO_KERNELS(target, runs) &target::sequential_kernels,
  static constexpr const SequentialKernelTable* tables[] = {PAPILIO_SIMD_TARGETS(PAPILIO_KERNELS)};
#undef PAPILIO_KERNELS
  return *tables[static_cast<std::size_t>(execution::cpu_target())];
}

}  // namespace papilio::lda
