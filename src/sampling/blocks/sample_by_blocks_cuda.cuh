#pragma once

#include <cstdint>
#include <type_traits>

#include "execution/cuda/check.h"
#include "sampling/blocks/block_methods.h"
#include "sampling/blocks/block_rows_cuda.cuh"
#include "sampling/blocks/sample_by_blocks_cuda.h"
#include "warp/cuda_warp.cuh"

// Draws by the methods of the papers from rows in device memory: a warp takes 32 rows,
// one per thread, then the next 32. There is one translation unit per stored type.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::BlocksPlan;

inline constexpr int warps_per_block = 4;

// The u of this thread's row.
template <class T>
__device__ __forceinline__ T uniform_of_row(const DeviceDraw& draw, std::int64_t i) {
  using W = warp::CudaWarp<32>;
  const std::uint64_t number = number_of(draw, i);
  return uniform_of_type<W, T>(random::draw_blocks<W>(seed_of(draw, i), draw.stream, static_cast<std::uint32_t>(number),
                                                      static_cast<std::uint32_t>(number >> 32)));
}

// `remnant_first` is known at compile time: one kernel for both forms made the padded ones 10 % slower.
template <PartialSums method, bool remnant_first, class S, bool product>
__global__ void __launch_bounds__(32 * warps_per_block)
    draw_blocks(const __grid_constant__ DeviceDraw draw, const BlocksPlan plan) {
  using W = warp::CudaWarp<32>;
  using Rows = BlockRows<S, product>;
  using T = typename Rows::Weight;
  constexpr int scratch_size = block_scratch_size<W>(method);
  __shared__ typename Rows::Place places[warps_per_block][W::width];
  __shared__ T scratch[warps_per_block][scratch_size == 0 ? 1 : scratch_size];

  const int warp = static_cast<int>(threadIdx.x) / W::width, lane = warp::thread::lane();
  const std::int64_t first = std::int64_t{blockIdx.x} * warps_per_block + warp;
  if (first >= plan.warps) return;
  T* const table = static_cast<T*>(draw.workspace) + first * plan.table_size;

  for (std::int64_t tile = first * W::width; tile < draw.rows.rows; tile += plan.warps * W::width) {
    // Threads past the last row take part with an empty one.
    const bool mine = tile + lane < draw.rows.rows;
    const std::int64_t i = mine ? tile + lane : draw.rows.rows - 1;
    bool exists;
    MemoryRow<S, product> row = row_of<S, product>(draw.rows, i, exists);
    if (!mine || !exists) row.count = 0;
    const Rows rows(row, places[warp]);
    const auto found = draw_by_method<method, W>(rows, uniform_of_row<T>(draw, i), table, scratch[warp],
                                                 std::bool_constant<remnant_first>());

    const bool look = (draw.check_negative && rows.sign()) || !(found.total > 0) || found.total - found.total != 0;
    DrawStatus status = examine_rows(rows, mine && exists && look, static_cast<double>(found.total));
    if (!exists) status = DrawStatus::no_such_row;
    if (!mine) continue;
    const std::int64_t category =
        status == DrawStatus::ok ? collective::positive_at_or_before(rows, lane, std::int64_t{found.category}) : -1;
    store_result(draw, i, status, category);
  }
}

using BlocksKernel = void (*)(DeviceDraw, BlocksPlan);

template <class S, bool product>
BlocksKernel blocks_kernel(PartialSums wanted) {
  return with_block_form(wanted, [&]<PartialSums method, bool remnant_first>() -> BlocksKernel {
    return draw_blocks<method, remnant_first, S, product>;
  });
}

template <class S, bool product>
void queue_blocks(const DeviceDraw& draw, const BlocksPlan& plan) {
  const auto blocks = static_cast<unsigned>((plan.warps + warps_per_block - 1) / warps_per_block);
  blocks_kernel<S, product>(
      draw.method)<<<blocks, 32 * warps_per_block, 0, static_cast<cudaStream_t>(draw.cuda_stream)>>>(draw, plan);
  execution::check_launch("drawing from rows by blocks");
}

template <class S, bool product>
int block_warps_per_multiprocessor(PartialSums method) {
  int blocks = 0;
  execution::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, blocks_kernel<S, product>(method),
                                                                 32 * warps_per_block, 0),
                   "querying how many blocks fit");
  return blocks * warps_per_block;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
