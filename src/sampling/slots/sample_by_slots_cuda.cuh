#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "collective/draw_long_rows.cuh"
#include "execution/cuda/check.h"
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

// Why a row cannot be drawn from, by reading all of it. Cold.
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

// How rows lie: anyhow; in aligned groups of four; the same, and as long as the
// kernel is made for.
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

// Rows of at most `most` categories, a batch for every group of threads.
template <int most, class S, bool product, Layout layout>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor<S>(most, product))
    draw_batches(const DeviceDraw draw) {
  using Shape = collective::BatchShape<most>;
  constexpr int G = Shape::threads, T = Shape::rows;
  const std::int64_t group = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / G;
  const std::int64_t i = group * T + threadIdx.x % G / (G / T);
  const std::int64_t at = i < draw.rows.rows ? i : draw.rows.rows - 1;
  bool exists;
  const MemoryRow<S, product> row = row_of<S, product>(draw.rows, at, exists);
  unsigned signs = 0;
  const MemoryRows<S, product, layout != Layout::any, layout == Layout::full, G, T> rows(row, signs,
                                                                                         draw.rows.rows - group * T);
  constexpr int together = rows_together<S>(most, product, layout);
  const collective::DrawnRow drawn = collective::draw_batch<most, together>(rows, uniform_of(draw, at));
  const bool suspect = any_sign(signs) && draw.check_negative;
  if (drawn.owner && i < draw.rows.rows) finish_row(draw, i, row, exists, suspect, drawn.total, drawn.category);
}

// Rows of any length each, one warp per row.
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

// Rows of a few segments, a batch for every block, with a warp for each segment.
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

// Few rows, many segments: first the segments' totals and signs, each by a warp of
// any block ...
template <class S, bool product, bool aligned>
__global__ void __launch_bounds__(block_threads) add_segments(const DeviceDraw draw, int segments) {
  using V = typename Stored<S>::Sum;
  const std::int64_t at = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / 32;
  if (at >= draw.rows.rows * segments) return;
  bool exists;
  const MemoryRow<S, product> row = row_of<S, product>(draw.rows, at / segments, exists);
  unsigned signs = 0;
  const MemoryRows<S, product, aligned, false, 32, 1> rows(row, signs);
  const V total = collective::segment_total(rows.segment(at % segments));
  const bool sign = any_sign(signs);
  if (threadIdx.x % 32 != 0) return;
  V* const totals = static_cast<V*>(draw.workspace);
  totals[at] = total;
  reinterpret_cast<unsigned char*>(totals + draw.rows.rows * segments)[at] = sign;
}

// ... then each row's search by one warp. Dynamic shared memory: a Sum and a double a segment.
template <class S, bool product, bool aligned>
__global__ void __launch_bounds__(32) search_segments(const DeviceDraw draw, int segments) {
  using V = typename Stored<S>::Sum;
  extern __shared__ double running[];
  const std::int64_t i = blockIdx.x;
  bool exists;
  const MemoryRow<S, product> row = row_of<S, product>(draw.rows, i, exists);
  V* const totals = reinterpret_cast<V*>(running + segments);
  const V* const stored = static_cast<const V*>(draw.workspace);
  const auto* const negative =
      reinterpret_cast<const unsigned char*>(stored + draw.rows.rows * segments) + i * segments;
  bool sign = false;
  for (int s = static_cast<int>(threadIdx.x); s < segments; s += 32) {
    totals[s] = stored[i * segments + s];
    sign |= negative[s] != 0;
  }
  __syncwarp();
  const bool suspect = __any_sync(collective::all_threads, sign) != 0 && draw.check_negative;
  double rest, total;
  const int s = collective::find_segment(totals, segments, running, uniform_of(draw, i), rest, total);
  unsigned signs = 0;
  const MemoryRows<S, product, aligned, false, 32, 1> rows(row, signs);
  const std::int64_t category = collective::draw_in_segment(rows, s, rest);
  if (threadIdx.x == 0) finish_row(draw, i, row, exists, suspect, total, category);
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
  const std::size_t shared = (sizeof(double) + sizeof(typename Stored<S>::Sum)) * plan.segments;
  add_segments<S, product, aligned>
      <<<blocks_for(32 * draw.rows.rows * segments), block_threads, 0, stream>>>(draw, segments);
  execution::check_launch("adding up segments");
  search_segments<S, product, aligned><<<static_cast<unsigned>(draw.rows.rows), 32, shared, stream>>>(draw, segments);
  execution::check_launch("drawing from long rows");
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
