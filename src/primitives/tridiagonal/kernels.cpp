#include "primitives/tridiagonal/kernels.h"

#include <cstddef>

#include "execution/cpu/target.h"

// One table per target, each from a compilation of tridiagonal_cpu.cpp.
namespace papilio {
#define PAPILIO_DECLARE(target, runs)                            \
  namespace target {                                             \
  extern const primitives::TridiagonalKernels tridiagonal_table; \
  }
PAPILIO_SIMD_TARGETS(PAPILIO_DECLARE)
#undef PAPILIO_DECLARE
}  // namespace papilio

namespace papilio::primitives {

const TridiagonalKernels& tridiagonal_kernels() {
#define PAPILIO_KERNELS(target, runs) &target::tridiagonal_table,
  static constexpr const TridiagonalKernels* kernels[] = {PAPILIO_SIMD_TARGETS(PAPILIO_KERNELS)};
#undef PAPILIO_KERNELS
  return *kernels[static_cast<std::size_t>(execution::cpu_target())];
}

}  // namespace papilio::primitives
