#pragma once

#include <cuda_pipeline.h>

#include <cstdint>

#include "sampling/tokens/first_draw_cuda.cuh"

// Draws from the first few categories of each row: one reading, and nothing else in memory. The blocks of a cluster
// share a row. Each goes through its part of the categories and collects those that can be among the first k, which
// fewer and fewer can: what is below the k-th so far is passed over. The first block joins what is left and draws.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// A tile of stored logits in shared memory, of which each thread copies and reads its own.
template <class S>
class FirstTile {
 public:
  __device__ explicit FirstTile(S* stage) : mine_(stage + 4 * static_cast<int>(threadIdx.x)) {}

  __device__ __forceinline__ float operator[](int e) const { return logit_of(mine_[e / 4 * first_part + e % 4]); }

  // Copies the tile at `from`, -infinity from `end` on, while the thread goes on.
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

// This block's part of a row, collected.
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
  if (first > begin) {  // these come before all others, and are taken last: ties are theirs
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

template <class S>
__global__ void __launch_bounds__(first_threads, 2) draw_first_tokens(const __grid_constant__ TokenCall call) {
  __shared__ FirstMemory memory;
  const int parts = cluster::size(), part = cluster::rank();
  const std::int64_t step = gridDim.x / parts;
  for (std::int64_t row = blockIdx.x / parts; row < call.rows; row += step) {
    const TokenFilter filter = filter_of_row(call, row);
    if (!among_few(call, filter)) continue;
    const BiasOfRow bias = bias_of_row(call, row);
    const bool bad_bias = bias_is_bad(call, bias);
    if (bad_bias || !valid_filter(filter)) {
      if (part == 0) put_none(call, row, bad_bias ? TokenStatus::bad_bias : TokenStatus::bad_filter);
      continue;
    }
    const int k = filter.temperature == 0 ? 1 : filter.top_k;
    FirstCollection collection(call, memory, row, bias, k);
    collect_part<S>(call, row, collection);
    collection.keep_at_most(first_capacity / parts);
    if (parts > 1) {
      cluster::sync();
      if (part != 0) send_keys(memory, collection.filled());
      cluster::sync();
      if (part != 0) continue;
    }
    collection.sort();
    const unsigned faults = memory.faults;
    if (faults != 0 || collection.filled() == 0)
      put_none(call, row,
               faults == 0                 ? TokenStatus::nothing_allowed
               : (faults & fault_nan) != 0 ? TokenStatus::not_a_number
                                           : TokenStatus::infinite);
    else
      FirstDraw(call, memory, row, filter, collection.filled()).draw();
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
