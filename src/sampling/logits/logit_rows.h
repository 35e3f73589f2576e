#pragma once

#include <cstdint>
#include <limits>

#include "random/elementary.h"
#include "warp/portability.h"

// What a logit is multiplied by, and the weights of double logits: shared by CPU and CUDA.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// The factor in the exponent (x - largest) * scale; the exponent is one of 2 for float logits, of e for double logits.
template <class T>
T logit_scale(double temperature) {
  constexpr double log2_e = 0x1.71547652b82fep0;
  return sizeof(T) == 8 ? static_cast<T>(1 / temperature) : static_cast<T>(log2_e / temperature);
}

// e^((x - largest) scale) for a finite largest logit; NaN stays NaN.
PAPILIO_LANEWISE double weight_of_logit(double x, double largest, double scale) {
  return x <= largest ? random::exponential((x - largest) * scale) : x;
}

// For a row whose largest logit is not finite: nothing can be drawn from it, and whatever is wrong must stay visible.
template <class T>
PAPILIO_LANEWISE T weight_in_bad_row(T x) {
  return x <= std::numeric_limits<T>::max() ? T{0} : x;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
