#include "sampling/rows/kernels.h"

#include "execution/cpu/target.h"

// One table per target, each from a compilation of kernels_cpu.cpp.
namespace papilio::baseline {
extern const sampling::Kernels sampling_kernels;
}
namespace papilio::avx2 {
extern const sampling::Kernels sampling_kernels;
}
namespace papilio::avx512 {
extern const sampling::Kernels sampling_kernels;
}
namespace papilio::neon {
extern const sampling::Kernels sampling_kernels;
}

namespace papilio::sampling {

const Kernels& kernels_in_use() {
  using execution::CpuTarget;
  switch (execution::cpu_target()) {  // one that this build holds, so that every case returns
#if defined(PAPILIO_HAS_avx512)
    case CpuTarget::avx512:
      return avx512::sampling_kernels;
#endif
#if defined(PAPILIO_HAS_avx2)
    case CpuTarget::avx2:
      return avx2::sampling_kernels;
#endif
#if defined(PAPILIO_HAS_neon)
    case CpuTarget::neon:
      return neon::sampling_kernels;
#else
    case CpuTarget::baseline:
      return baseline::sampling_kernels;
#endif
    default:
      __builtin_unreachable();
  }
}

}  // namespace papilio::sampling
