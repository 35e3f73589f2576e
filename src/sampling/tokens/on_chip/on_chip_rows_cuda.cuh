#pragma once

#include <cstdint>

#include "execution/cuda/dependent_launch.cuh"
#include "sampling/tokens/on_chip/on_chip_tokens_cuda.cuh"

// The kernels that draw from rows on chip.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

extern __shared__ __align__(16) unsigned char on_chip_part[];

// Draws from a row, or leaves it to the kernel that can draw from any row.
template <class S, OnChip kind, bool plain, class Held>
__device__ __forceinline__ void draw_or_leave(const TokenCall& call, OnChipMemoryOf<kind, plain>& memory,
                                              std::int64_t row) {
  OnChipDraw<S, kind, plain, on_chip_threads, Held> draw(call, memory, reinterpret_cast<Held*>(on_chip_part), row);
  if (!draw.draw(filter_of_row(call, row)) && cluster::rank() == 0 && threadIdx.x == 0) call.tokens[row] = left_over;
}

// Each cluster draws from one row. All rows have TokenWay::on_chip.
template <class S, OnChip kind, bool plain, class Held = S>
__global__ void __launch_bounds__(on_chip_threads, on_chip_blocks)
    draw_tokens_on_chip(const __grid_constant__ TokenCall call) {
  __shared__ OnChipMemoryOf<kind, plain> memory;
  draw_or_leave<S, kind, plain, Held>(call, memory, blockIdx.x / static_cast<unsigned>(cluster::size()));
}

// Draws from rows of a call: first from those with TokenWay::on_chip, and then from those that were left over near the
// largest. A few clusters look for them.
template <class S, bool plain, class Held = S>
__global__ void __launch_bounds__(on_chip_threads, on_chip_blocks)
    draw_rows_on_chip(const __grid_constant__ TokenCall call) {
  __shared__ OnChipMemoryOf<OnChip::cut, plain> memory;
  execution::let_next_kernel_come();
  const std::int64_t step = gridDim.x / static_cast<unsigned>(cluster::size());
  const std::int64_t first = blockIdx.x / static_cast<unsigned>(cluster::size());
  bool again = false;
  PAPILIO_UNROLL_NONE
  for (int pass = call.way == TokenWay::near ? 1 : 0; pass < 2; ++pass) {
    const TokenWay way = pass == 0 ? TokenWay::on_chip : TokenWay::near;
    const auto has_way = [&](std::int64_t row) { return way_of_row(call, row) == way; };
    if (!may_be_any_row(call, first, step, has_way)) continue;
    const auto is_mine = [&](std::int64_t row) {
      return has_way(row) && (pass == 0 || token_of_row(call, row) == left_over);
    };
    if (pass == 1) {
      execution::wait_for_kernel_before();
      if (!any_row(call, first, step, is_mine)) return;
    }
    PAPILIO_UNROLL_NONE
    for (std::int64_t row = first; row < call.rows; row += step) {
      if (!is_mine(row)) continue;
      if (again) {
        arrival::order_copies();
        cluster::sync();  // the previous row is done
        if (threadIdx.x == 0) memory.end();
      }
      draw_or_leave<S, OnChip::cut, plain, Held>(call, memory, row);
      again = true;
    }
  }
  execution::end_after_kernel_before();
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
