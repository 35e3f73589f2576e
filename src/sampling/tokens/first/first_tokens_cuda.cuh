#pragma once

#include <cuda_pipeline.h>

#include <cstdint>

#include "execution/cuda/dependent_launch.cuh"
#include "sampling/tokens/first/few_draw_cuda.cuh"
#include "sampling/tokens/first/first_draw_cuda.cuh"

// Draws from the first few categories of each row, reading it once and storing nothing else in device memory. The
// blocks of a cluster share a row. Each goes through its part of the categories and collects those that may be among
// the first k; as the bound rises, fewer and fewer may be. The first block merges what is left and draws.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// A tile of logits in shared memory, in their stored type. Each thread copies and reads its own ones.
template <class S>
class FirstTile {
 public:
  __device__ explicit FirstTile(S* stage) : mine_(stage + 4 * static_cast<int>(threadIdx.x)) {}

  __device__ __forceinline__ float operator[](int e) const { return logit_of(mine_[e / 4 * first_part + e % 4]); }

  // Copies the tile at `from` asynchronously; it is -infinity from `end` on.
  __device__ void start(const LogitsOfRow<S>& logits, std::int64_t from, std::int64_t end, bool aligned) {
    PAPILIO_UNROLL
    for (int j = 0; j < first_at_once; ++j) {
      const std::int64_t first = from + j * first_part + 4 * static_cast<int>(threadIdx.x);
      S* const to = mine_ + j * first_part;
      if (aligned && first + 4 <= end) {
        __pipeline_memcpy_async(to, logits.row + first, 4 * sizeof(S));
        continue;
      }
      PAPILIO_UNROLL
      for (int e = 0; e < 4; ++e)
        to[e] = first + e < end ? logits.row[(first + e) * logits.stride] : minus_infinity<S>();
    }
    __pipeline_commit();
  }

 private:
  S* mine_;
};

extern __shared__ __align__(16) unsigned char first_stages[];

// Collects from this block's part of a row.
template <class S>
__device__ void collect_part(const TokenCall& call, std::int64_t row, FirstCollection& collection) {
  const LogitsOfRow<S> logits = logits_of_row<S>(call, row);
  const std::int64_t begin = min(call.categories, cluster::rank() * call.in_slice);
  const std::int64_t end = min(call.categories, begin + call.in_slice);
  const bool adjacent = logits.stride == 1;
  const std::int64_t first = adjacent ? min(end, begin + logits.before_aligned(begin)) : begin;
  auto* const stages = reinterpret_cast<S*>(first_stages);
  FirstTile<S> now(stages), next(stages + first_tile);
  now.start(logits, first, end, adjacent);
  next.start(logits, first + first_tile, end, adjacent);
  for (std::int64_t from = first; from < end; from += first_tile) {
    __pipeline_wait_prior(1);
    from == first ? collection.begin(now, from) : collection.take_later(now, from);
    now.start(logits, from + 2 * first_tile, end, adjacent);
    const FirstTile<S> done = now;
    now = next;
    next = done;
  }
  __pipeline_wait_prior(0);
  if (first > begin) {  // these come before all others but are taken last, so they win ties
    now.start(logits, begin, first, false);
    collection.take_any(now, begin);
  }
  collection.take_biased(logits, begin, end);
}

__device__ __forceinline__ void send_keys(FirstMemory& memory, int keys) {
  if (threadIdx.x == 0) {
    memory.cut = atomicAdd(cluster::at(&memory.count, 0), keys);
    if (memory.faults != 0) atomicOr(cluster::at(&memory.faults, 0), memory.faults);
  }
  __syncthreads();
  std::uint64_t* to = cluster::at(&memory.keys[0], 0) + memory.cut;
  for (int n = static_cast<int>(threadIdx.x); n < keys; n += first_threads) to[n] = memory.keys[n];
}

// How many categories come first.
__device__ __forceinline__ int among_first(const TokenFilter& filter) {
  return filter.temperature == 0 ? 1 : filter.top_k;
}

// Whether the first categories of a row can be found from the largest logits of groups.
__device__ __forceinline__ bool has_few(const TokenCall& call, const BiasOfRow& bias, int k) {
  return k <= few_most && call.column_stride == 1 && call.allowed == nullptr && bias.count == 0;
}

__device__ __forceinline__ void put_fault(const TokenCall& call, std::int64_t row, unsigned faults) {
  put_none(call, row,
           faults == 0                 ? TokenStatus::nothing_allowed
           : (faults & fault_nan) != 0 ? TokenStatus::not_a_number
                                       : TokenStatus::infinite);
}

// Draws from the first few of a row; returns false if there are too many candidates.
template <class S>
__device__ __forceinline__ bool draw_few(const TokenCall& call, FirstMemory& memory, FewMemory& few, std::int64_t row,
                                         const TokenFilter& filter, std::int64_t step, bool& met) {
  const std::int64_t begin = min(call.categories, cluster::rank() * call.in_slice);
  const std::int64_t end = min(call.categories, begin + call.in_slice);
  FirstFew<S> first(memory, few, reinterpret_cast<float*>(first_stages), among_first(filter));
  first.take(logits_of_row<S>(call, row).row, begin, end, met);
  if (threadIdx.x == 0 && row + step < call.rows) prefetch(logits_of_row<S>(call, row + step).row + begin, end - begin);
  const FewFound found = first.rank([&] { prepare_few(call, few, row, filter); });
  if (found.too_many) return false;
  if (cluster::rank() != 0) return true;
  if (found.faults != 0 || found.count == 0)
    put_fault(call, row, found.faults);
  else if (filter.temperature == 0)
    put_largest(call, few, row);
  else
    draw_among(call, few, row, filter, found.count);
  return true;
}

// Draws from what the blocks of a cluster collect from a row, which may be of any kind.
template <class S>
__device__ __forceinline__ void draw_collected(const TokenCall& call, FirstMemory& memory, std::int64_t row,
                                               const TokenFilter& filter, const BiasOfRow& bias) {
  const int parts = cluster::size(), part = cluster::rank();
  FirstCollection collection(call, memory, row, bias, among_first(filter));
  collect_part<S>(call, row, collection);
  collection.keep_at_most(first_capacity / parts);
  if (parts > 1) {
    cluster::sync();
    if (part != 0) send_keys(memory, collection.filled());
    cluster::sync();
    if (part != 0) return;
  }
  collection.sort();
  if (memory.faults != 0 || collection.filled() == 0)
    put_fault(call, row, memory.faults);
  else
    FirstDraw(call, memory, row, filter, collection.filled()).draw();
}

// The same; called rarely.
template <class S>
__device__ __noinline__ void draw_left(const TokenCall& call, FirstMemory& memory, std::int64_t row) {
  draw_collected<S>(call, memory, row, filter_of_row(call, row), bias_of_row(call, row));
  __syncthreads();                           // the next row counts anew
  if (cluster::size() > 1) cluster::sync();  // and its blocks send to the first one, which may still draw
}

// If `may_be_few`, the first few of some rows are found from the largest logits of groups.
template <class S, bool may_be_few>
__global__ void __launch_bounds__(first_threads, first_blocks)
    draw_first_tokens(const __grid_constant__ TokenCall call) {
  __shared__ FirstMemory memory;
  execution::let_next_kernel_come();
  const int parts = cluster::size(), part = cluster::rank();
  bool met = !may_be_few;
  if constexpr (may_be_few) cluster::begin();
  const std::int64_t step = gridDim.x / parts;
  for (std::int64_t row = blockIdx.x / parts; row < call.rows; row += step) {
    const TokenFilter filter = filter_of_row(call, row);
    if (way_of(call, filter) != TokenWay::few) continue;
    const BiasOfRow bias = bias_of_row(call, row);
    const bool bad_bias = bias_is_bad(call, bias);
    if (bad_bias || !valid_filter(filter)) {
      if (part == 0) put_none(call, row, bad_bias ? TokenStatus::bad_bias : TokenStatus::bad_filter);
      continue;
    }
    if constexpr (may_be_few) {
      __shared__ FewMemory few;
      if (!has_few(call, bias, among_first(filter)) || !draw_few<S>(call, memory, few, row, filter, step, met)) {
        if (!met) cluster::begun();
        met = true;
        draw_left<S>(call, memory, row);
      }
    } else {
      draw_collected<S>(call, memory, row, filter, bias);
    }
  }
  if (!met) cluster::begun();
  execution::end_after_kernel_before();
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
