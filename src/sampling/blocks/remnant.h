#pragma once

#include "papilio/sampling.h"

namespace papilio::sampling {

// Whether the method puts the remnant of K mod 32 categories first, as the papers do.
inline bool has_remnant_first(PartialSums method) {
  return method == PartialSums::transposed_remnant_first || method == PartialSums::butterfly_swap_remnant_first ||
         method == PartialSums::butterfly_add_subtract_remnant_first;
}

}  // namespace papilio::sampling
