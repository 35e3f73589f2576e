#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "collective/draw_long_rows.cuh"
#include "collective/segment_scan.cuh"
#include "execution/cuda/check.h"
#include "execution/cuda/dependent_launch.cuh"
#include "execution/cuda/memory.h"
#include "random/philox.h"
#include "random/uniform.h"
#include "sampling/rows/examine.h"
#include "sampling/rows/memory_rows_cuda.cuh"
#include "sampling/slots/launch_shapes_cuda.h"
#include "sampling/slots/sample_by_slots_cuda.h"

// Draws in the slot order from rows in device memory; one translation unit per stored type.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::SlotsPlan;
namespace launch = papilio::sampling::slots_launch;
using launch::block_threads;
static_assert(launch::most_segments_of_block == collective::most_segments_at_once);

__device__ __forceinline__ double uniform_of(const DeviceDraw& draw, std::int64_t i) {
  const random::Block block = random::draw_block(seed_of(draw, i), draw.stream, number_of(draw, i));
  return random::uniform53(block.word[0], block.word[1]);
}

// Why a row cannot be drawn from, found by reading all of it. Rarely called.
template <class Row>
__device__ __noinline__ DrawStatus examine(const Row row, double total) {
  return examine_row(row.size(), total, [&](std::int64_t k) { return row.weight(k); });
}

// Writes the result of row i. `suspect`: a weight may be negative.
template <class Row>
__device__ __forceinline__ void finish_row(const DeviceDraw& draw, std::int64_t i, const Row& row, bool exists,
                                           bool suspect, double total, std::int64_t category) {
  DrawStatus status = DrawStatus::ok;
  if (!exists)
    status = DrawStatus::no_such_row;
  else if (suspect || !(total > 0) || total - total != 0) [[unlikely]]
    status = examine(row, total);
  store_result(draw, i, status, category);
}

// How rows lie in memory: anyhow; in aligned groups of four; or
// the same, with exactly the length for which the kernel is made.
enum class Layout : std::uint8_t { any, aligned, full };

template <class S>
constexpr int rows_together(int most, bool product, Layout layout) {
  if (product || layout == Layout::any) return 1;
  return launch::batch_launch(most).together[launch::by_bytes(sizeof(S))];
}
template <class S>
constexpr int blocks_per_multiprocessor(int most, bool product) {
  if (product) return sizeof(S) == 8 ? 1 : launch::batch_launch(most).blocks_of_products;
  return launch::batch_launch(most).blocks[launch::by_bytes(sizeof(S))];
}

// Rows of at most `most` categories, one batch per group of threads. The rows of a warp are
// dealt out to its groups one by one, so that what the warp loads at once is contiguous.
template <int most, class S, bool product, Layout layout>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor<S>(most, product))
    draw_batches(const DeviceDraw draw) {
  using Shape = collective::BatchShape<most>;
  constexpr int G = Shape::threads, T = Shape::rows;
  constexpr int groups = 32 / G;
  const std::int64_t first = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / 32 * (groups * T);
  const std::int64_t i = first + threadIdx.x % G / (G / T) * groups + threadIdx.x % 32 / G;
  const std::int64_t at = i < draw.rows.rows ? i : draw.rows.rows - 1;
  bool exists;
  const MemoryRow<S, product> row = row_of<S, product>(draw.rows, at, exists);
  unsigned signs = 0;
  const MemoryRows<S, product, layout != Layout::any, layout == Layout::full, G, T> rows(row, signs,
                                                                                         draw.rows.rows - first);
  constexpr int together = rows_together<S>(most, product, layout);
  const collective::DrawnRow drawn = collective::draw_batch<most, together>(rows, uniform_of(draw, at));
  const bool suspect = any_sign(signs) && draw.check_negative;
  if (drawn.owner && i < draw.rows.rows) finish_row(draw, i, row, exists, suspect, drawn.total, drawn.category);
}

// Rows of any length, one warp per row.
template <class S, bool product, bool aligned>
__global__ void __launch_bounds__(block_threads, launch::any_row_blocks) draw_any_rows(const DeviceDraw draw) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / 32;
  if (i >= draw.rows.rows) return;
  bool exists;
  const MemoryRow<S, product> row = row_of<S, product>(draw.rows, i, exists);
  unsigned signs = 0;
  const MemoryRows<S, product, aligned, false, 32, 1> rows(row, signs);
  const collective::DrawnRow drawn = collective::draw_long_row(rows, uniform_of(draw, i));
  const bool suspect = any_sign(signs) && draw.check_negative;
  if (drawn.owner) finish_row(draw, i, row, exists, suspect, drawn.total, drawn.category);
}

// Rows of a few segments: one batch per block, with one warp per segment.
template <class S, bool product, bool aligned>
__global__ void __launch_bounds__(32 * collective::most_segments_at_once, launch::segment_blocks)
    draw_batches_by_segments(const DeviceDraw draw) {
  constexpr int T = launch::segment_rows;
  __shared__ typename Stored<S>::Sum totals[collective::most_segments_at_once][T];
  const std::int64_t first = std::int64_t{blockIdx.x} * T, i = first + threadIdx.x % 32 / (32 / T);
  const std::int64_t at = i < draw.rows.rows ? i : draw.rows.rows - 1;
  bool exists;
  const MemoryRow<S, product> row = row_of<S, product>(draw.rows, at, exists);
  unsigned signs = 0;
  const MemoryRows<S, product, aligned, false, 32, T> rows(row, signs, draw.rows.rows - first);
  const unsigned segment = threadIdx.x / 32, segments = blockDim.x / 32;
  constexpr int together = product || !aligned ? 1 : launch::segment_together[std::bit_width(sizeof(S)) - 1];
  const collective::DrawnRow drawn =
      collective::draw_by_segments<T, together>(rows.segment(segment), segment, segments, uniform_of(draw, at), totals);
  const bool suspect = __syncthreads_or(static_cast<int>(signs) < 0) != 0 && draw.check_negative;
  if (drawn.owner && i < draw.rows.rows) finish_row(draw, i, row, exists, suspect, drawn.total, drawn.category);
}

// Calls use(a provider of the row). All loads of a whole segment are in flight at once, since none is conditional.
template <class S, bool product, bool aligned, class Use>
__device__ __forceinline__ auto with_segment(const MemoryRow<S, product>& row, std::int64_t segment, unsigned& signs,
                                             Use use) {
  if constexpr (aligned) {
    if ((segment + 1) * collective::segment_size <= row.size())
      return use(MemoryRows<S, product, true, true, 32, 1>(row, signs));
  }
  return use(MemoryRows<S, product, aligned, false, 32, 1>(row, signs));
}

// For few rows of many segments. First the totals and
// signs of the segments, each by a warp of any block ...
template <class S, bool product, bool aligned>
__global__ void __launch_bounds__(launch::add_threads)
    add_segments(const __grid_constant__ DeviceDraw draw, unsigned segments) {
  using V = typename Stored<S>::Sum;
  execution::let_next_kernel_come();
  const std::int64_t at = (std::int64_t{blockIdx.x} * launch::add_threads + threadIdx.x) / 32;
  const std::int64_t all = draw.rows.rows * segments;
  if (at >= all) return;
  const std::int64_t i = all <= UINT32_MAX ? static_cast<unsigned>(at) / segments : at / segments;
  const std::int64_t segment = at - i * segments;
  bool exists;
  const MemoryRow<S, product> row = row_of<S, product>(draw.rows, i, exists);
  unsigned signs = 0;
  const V total = with_segment<S, product, aligned>(
      row, segment, signs, [&](const auto& rows) { return collective::segment_total(rows.segment(segment)); });
  const bool sign = any_sign(signs);
  if (threadIdx.x % 32 != 0) return;
  V* const totals = static_cast<V*>(draw.workspace);
  totals[at] = total;
  reinterpret_cast<unsigned char*>(totals + all)[at] = sign;
}

// ... then the search of each row by a warp. Dynamic shared memory: a Sum and a double per segment, for each warp.
template <class S, bool product, bool aligned>
__global__ void __launch_bounds__(launch::most_search_threads)
    search_segments(const __grid_constant__ DeviceDraw draw, int segments) {
  using V = typename Stored<S>::Sum;
  extern __shared__ double shared[];
  const unsigned thread = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const std::int64_t i = std::int64_t{blockIdx.x} * warps + warp;
  if (i >= draw.rows.rows) return;
  const double u = uniform_of(draw, i);
  bool exists;
  const MemoryRow<S, product> row = row_of<S, product>(draw.rows, i, exists);
  execution::wait_for_kernel_before();

  const V* const stored = static_cast<const V*>(draw.workspace) + i * segments;
  const auto* const negative =
      static_cast<const unsigned char*>(draw.workspace) + draw.rows.rows * segments * sizeof(V) + i * segments;
  bool sign = false;
#pragma unroll 4
  for (int s = static_cast<int>(thread); s < segments; s += 32) sign |= __ldcg(negative + s) != 0;
  double rest, total;
  int s = -1;
  if constexpr (sizeof(V) == sizeof(float))
    s = collective::find_segment_by_scan([&](int k) { return __ldcg(stored + k); }, segments, u, rest, total);
  if (s < 0) {
    double* const running = shared + warp * segments;
    V* const totals = reinterpret_cast<V*>(shared + warps * segments) + warp * segments;
    for (int k = static_cast<int>(thread); k < segments; k += 32) totals[k] = __ldcg(stored + k);
    __syncwarp();
    s = collective::find_segment(totals, segments, running, u, rest, total);
  }
  unsigned signs = 0;
  const std::int64_t category = with_segment<S, product, aligned>(
      row, s, signs, [&](const auto& rows) { return collective::draw_in_segment(rows, s, rest); });
  const bool suspect = __any_sync(collective::all_threads, sign) != 0 && draw.check_negative;
  if (thread == 0) finish_row(draw, i, row, exists, suspect, total, category);
}

inline unsigned blocks_for(std::int64_t threads, int a_block = block_threads) {
  return static_cast<unsigned>((threads + a_block - 1) / a_block);
}

template <int most, class S, bool product>
void queue_batches(const DeviceDraw& draw, const SlotsPlan& plan, cudaStream_t stream) {
  using Shape = collective::BatchShape<most>;
  const std::int64_t groups = (draw.rows.rows + Shape::rows - 1) / Shape::rows;
  const unsigned blocks = blocks_for(groups * Shape::threads);
  if (!plan.aligned)
    draw_batches<most, S, product, Layout::any><<<blocks, block_threads, 0, stream>>>(draw);
  else if (draw.rows.categories < most)
    draw_batches<most, S, product, Layout::aligned><<<blocks, block_threads, 0, stream>>>(draw);
  else
    draw_batches<most, S, product, Layout::full><<<blocks, block_threads, 0, stream>>>(draw);
  execution::check_launch("drawing from rows");
}

template <class S, bool product, bool aligned>
void queue_long_rows(const DeviceDraw& draw, const SlotsPlan& plan, cudaStream_t stream) {
  if (plan.kind == SlotsPlan::Kind::warp_per_row) {
    draw_any_rows<S, product, aligned><<<blocks_for(32 * draw.rows.rows), block_threads, 0, stream>>>(draw);
    return execution::check_launch("drawing from rows of any length");
  }
  const int segments = static_cast<int>(plan.segments);
  if (plan.kind == SlotsPlan::Kind::batches_by_segments) {
    draw_batches_by_segments<S, product, aligned>
        <<<blocks_for(draw.rows.rows, launch::segment_rows), 32 * segments, 0, stream>>>(draw);
    return execution::check_launch("drawing from rows of a few segments");
  }
  const int search_threads = launch::search_threads(draw.rows.rows, segments);
  const std::size_t shared = (sizeof(double) + sizeof(typename Stored<S>::Sum)) * plan.segments *
                             static_cast<std::size_t>(search_threads / 32);
  add_segments<S, product, aligned>
      <<<blocks_for(32 * draw.rows.rows * segments, launch::add_threads), launch::add_threads, 0, stream>>>(
          draw, static_cast<unsigned>(segments));
  execution::check_launch("adding up segments");
  execution::launch_early(search_segments<S, product, aligned>, blocks_for(32 * draw.rows.rows, search_threads),
                          static_cast<unsigned>(search_threads), shared, stream, "drawing from long rows", draw,
                          segments);
}

template <class S, bool product>
void queue_slots(const DeviceDraw& draw, const SlotsPlan& plan) {
  const auto stream = static_cast<cudaStream_t>(draw.cuda_stream);
  if (plan.kind == SlotsPlan::Kind::batches)
    launch::with_batch(draw.rows.categories, [&]<int most>() { queue_batches<most, S, product>(draw, plan, stream); });
  else if (plan.aligned)
    queue_long_rows<S, product, true>(draw, plan, stream);
  else
    queue_long_rows<S, product, false>(draw, plan, stream);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
