#pragma once

#include "base/math.h"
#include "sampling/tokens/first/first_few_cuda.cuh"
#include "sampling/tokens/token_launch_cuda.h"

// How blocks share rows if they draw from the first few, and the shared memory that they need.

namespace papilio::sampling {

template <class S>
constexpr std::int64_t tile_bytes = 2 * sampling_kernel::first_tile * sizeof(S);

template <class S>
constexpr std::int64_t first_bytes = tile_bytes<S> + sizeof(sampling_kernel::FirstMemory) +
                                     sizeof(sampling_kernel::FewMemory);

template <class S>
TokenShape first_shape(int parts, std::int64_t categories) {
  return {parts, base::round_up<std::int64_t>(base::ceil_div<std::int64_t>(categories, parts), 8), tile_bytes<S>,
          false};
}

}  // namespace papilio::sampling
