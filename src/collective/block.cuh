#pragma once

#include <cstdint>

#include "warp/portability.h"

// What threads of a block need for working together.

namespace papilio::inline PAPILIO_TARGET::collective {

// Waits for the `threads` threads that share some memory: those of a warp, or all of the block.
template <int threads>
__device__ __forceinline__ void wait_for_the_others() {
  if constexpr (threads == 32) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

// Adds to a sum that other threads add to as well.
__device__ __forceinline__ void atomic_add(std::int64_t* sum, std::int64_t n) {
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(n));
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
