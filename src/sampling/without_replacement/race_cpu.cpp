// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "sampling/without_replacement/race_cpu.h"

#include "sampling/without_replacement/race_kernel.h"
#include "warp/native_warp.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using Lanes = warp::NativeWarp<float>;

void race_weights(RacePiece<float>& piece) { race<Lanes, float, false>(piece); }
void race_weights(RacePiece<double>& piece) { race<Lanes, double, false>(piece); }
void race_logits(RacePiece<float>& piece) { race<Lanes, float, true>(piece); }
void race_logits(RacePiece<double>& piece) { race<Lanes, double, true>(piece); }

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
