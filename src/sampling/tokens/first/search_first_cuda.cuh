#pragma once

#include <cstdint>

#include "sampling/tokens/filtered_tokens_cuda.cuh"
#include "sampling/tokens/token_sums_cuda.cuh"

// Draws from the first few categories of each row on devices where a block has too little shared memory to collect
// them (first_tokens_cuda.cuh): searches the order of a row that the blocks of a cluster hold.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

template <class S>
__global__ void __launch_bounds__(slice_threads, 2) search_first_tokens(const __grid_constant__ TokenCall call) {
  __shared__ SliceMemory memory;
  const std::int64_t parts = cluster::size(), step = gridDim.x / parts;
  if (threadIdx.x == 0) memory.candidates = 0;
  for (std::int64_t row = blockIdx.x / parts; row < call.rows; row += step) {
    const TokenFilter filter = filter_of_row(call, row);
    if (way_of(call, filter) != TokenWay::few) continue;
    const TokenStatus status = draw_filtered_row<S>(call, memory, row, filter, searched_filter(filter));
    if (status == TokenStatus::ok && cluster::rank() == 0 && threadIdx.x == 0)
      put(call.kept_masses, row, 1.0f);  // only asked for at temperature 0
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
