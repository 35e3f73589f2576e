#pragma once

#include <cstdint>
#include <limits>

#include "random/elementary.h"
#include "warp/portability.h"

// What a logit is multiplied by, and the weights of double logits: shared by CPU and CUDA.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// For float of the exponent of 2, for double of e: (x - largest) * scale.
template <class T>
T logit_scale(double temperature) {
  constexpr double log2_e = 0x1.71547652b82fep0;
  return sizeof(T) == 8 ? static_cast<T>(1 / temperature) : static_cast<T>(log2_e / temperature);
}

// e^((x - largest) scale) for a finite largest logit; NaN stays what it is.
PAPILIO_LANEWISE double weight_of_logit(double x, double largest, double scale) {
  return x <= largest ? random::exponential((x - largest) * scale) : x;
}

// Where the largest logit is not finite: nothing can be drawn, and what is wrong stays to be found.
template <class T>
PAPILIO_LANEWISE T weight_in_bad_row(T x) {
  return x <= std::numeric_limits<T>::max() ? T{0} : x;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
