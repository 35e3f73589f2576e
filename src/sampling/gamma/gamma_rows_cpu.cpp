// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "sampling/gamma/gamma_rows_cpu.h"

#include "sampling/gamma/gamma_rows_kernel.h"
#include "warp/native_warp.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

void draw_gamma(const GammaColumns& columns) { draw_gamma_columns<warp::NativeWarp<float>>(columns); }

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
