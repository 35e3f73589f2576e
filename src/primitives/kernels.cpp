#include "primitives/kernels.h"

#include <cstddef>

#include "execution/cpu/target.h"

// One table per target, each from a compilation of exact_sums_cpu.cpp.
namespace papilio {
#define PAPILIO_DECLARE(target, runs)                 \
  namespace target {                                  \
  extern const primitives::Kernels primitive_kernels; \
  }
PAPILIO_SIMD_TARGETS(PAPILIO_DECLARE)
#undef PAPILIO_DECLARE
}  // namespace papilio

namespace papilio::primitives {

const Kernels& kernels_in_use() {
#define PAPILIO_KERNELS(target, runs) &target::primitive_kernels,
  static constexpr const Kernels* kernels[] = {PAPILIO_SIMD_TARGETS(PAPILIO_KERNELS)};
#undef PAPILIO_KERNELS
  return *kernels[static_cast<std::size_t>(execution::cpu_target())];
}

}  // namespace papilio::primitives
