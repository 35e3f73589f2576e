#pragma once

#include <cstdint>
#include <type_traits>

#include "sampling/tokens/first/first_tokens_cuda.cuh"

// Draws from the first few categories of a row by a bound. Each of 128 groups of lanes finds its largest logit; the
// k-th largest of these is the bound, and few more than k logits of the row reach it. The blocks of a cluster share a
// row: they exchange the groups' largest logits, and send the logits that reach the bound to the first block, which
// draws. With few rows the threads hold their logits in registers; otherwise they read some again. Too many logits can
// reach the bound, for example if all large ones are in a few groups. Such a row is drawn from in another way. At
// temperature 0 the bound is the largest logit.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define PAPILIO_BOUNDED_FIRST
#endif

inline constexpr int block_warps = first_threads / 32;

// A thread's part of a row, held in registers: vectors of 16 bytes. Eight lanes have adjacent vectors, and all groups
// of eight lanes of a cluster take turns, so that large logits near each other belong to different warps.
template <class S, int blocks, int vectors, class Mask>
class RowPart {
 public:
  static constexpr int width = LogitVector<S>::width;

  __device__ __forceinline__ RowPart(const TokenCall& call, const S* row, const Mask& mask) {
    const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(row) / sizeof(S));
    const auto count = static_cast<int>(call.categories);
    const int head = min(count, static_cast<int>((width - place % width) % width));
    const int whole = (count - head) / width, tail = count - head - whole * width;
    const int thread = static_cast<int>(threadIdx.x), lane = lane_of_thread();
    const int line = ((lane / 8 * block_warps + warp_of_thread()) * blocks + cluster::rank()) * 8;
    first_ = head + (line + lane % 8) * width;
    PAPILIO_UNROLL
    for (int u = 0; u < vectors; ++u)
      x_[u] =
          line + lane % 8 + u * in_round < whole ? Vector::load(row + first_ + u * in_round * width) : Vector::none();
    PAPILIO_UNROLL
    for (int u = 0; u < vectors; ++u)
      if (line + lane % 8 + u * in_round < whole) mask.apply(x_[u], first_ + u * in_round * width);
    // The categories before and after the vectors.
    if (cluster::rank() != 0 || thread >= head + tail) return;
    edge_ = thread < head ? thread : count - tail + (thread - head);
    if (mask.allows(edge_)) at_edge_ = logit_of(row[edge_]);
  }

  // The largest logit of the thread; NaN if it has one.
  __device__ __forceinline__ float largest() const {
    Vector most = x_[0];
    PAPILIO_UNROLL
    for (int u = 1; u < vectors; ++u) most.join(x_[u]);
    return greater_or_nan(most.largest(), at_edge_);
  }

  // Calls take(logit, category) for each logit of the thread that is not below `bound`. None of them is NaN.
  template <class Take>
  __device__ __forceinline__ void find(float bound, const Take& take) const {
    if (at_edge_ >= bound) take(at_edge_, edge_);
    unsigned found = 0;
    PAPILIO_UNROLL
    for (int u = 0; u < vectors; ++u) found |= (x_[u].largest() >= bound ? 1u : 0u) << u;
    for (; found != 0; found &= found - 1) {
      const int n = __ffs(static_cast<int>(found)) - 1;
      Vector some = x_[0];
      PAPILIO_UNROLL
      for (int u = 1; u < vectors; ++u)
        if (u == n) some = x_[u];
      PAPILIO_UNROLL
      for (int e = 0; e < width; ++e)
        if (some[e] >= bound) take(some[e], first_ + n * in_round * width + e);
    }
  }

 private:
  using Vector = LogitVector<S>;
  static constexpr int in_round = blocks * first_threads;  // vectors of a cluster

  Vector x_[vectors];
  int first_;      // the category of the thread's first logit
  int edge_ = -1;  // the thread's category before or after the vectors
  float at_edge_ = -__builtin_inff();
};

// A part that is not held: of each group of loads only the largest logit is kept, and some groups are read again.
template <class S, int blocks, class Mask>
class RowPart<S, blocks, 0, Mask> {
 public:
  __device__ __forceinline__ RowPart(const TokenCall& call, const S* row, const Mask& mask)
      : maxima_(row, 0, call.categories, reinterpret_cast<float*>(first_stages), mask),
        largest_(maxima_.read(call.streams)) {}

  __device__ __forceinline__ float largest() const { return largest_; }
  template <class Take>
  __device__ __forceinline__ void find(float bound, const Take& take) const {
    maxima_.find(bound, take);
  }

 private:
  GroupMaxima<S, first_threads, blocks, Mask> maxima_;
  float largest_;
};

template <int blocks>
struct BoundMemory {
  // Groups of lanes whose largest logits are compared.
  static constexpr int of_warp = most_blocks / blocks, of_block = of_warp * block_warps, all = blocks * of_block;

  std::uint64_t arrived, counts_arrived, keys_arrived;
  alignas(16) unsigned orders[all];  // of the groups' largest logits
  unsigned bounds[block_warps];

#if defined(PAPILIO_BOUNDED_FIRST)
  // By one thread, before the cluster's blocks `begin`.
  __device__ void init() {
    arrival::init(&arrived);
    arrival::expect(&arrived, sizeof(orders));
    arrival::init(&counts_arrived);
    arrival::expect(&counts_arrived, blocks * 8);
    arrival::init(&keys_arrived);
    arrival::init_done();
  }

  // Tells all blocks the order of the largest logit of each group of lanes, and waits for theirs. By all threads.
  __device__ __forceinline__ void exchange(unsigned order) {
    constexpr int lanes = 32 / of_warp;
    PAPILIO_UNROLL
    for (int distance = 1; distance < lanes; distance *= 2)
      order = max(order, __shfl_xor_sync(whole_warp, order, distance));
    const int group = warp_of_thread() * of_warp + lane_of_thread() / lanes, block = lane_of_thread() % lanes;
    if constexpr (blocks == 1) {
      if (block == 0) orders[group] = order;
      __syncthreads();
    } else {
      if (block < blocks) arrival::send(&orders[cluster::rank() * of_block + group], order, &arrived, block);
      arrival::wait(&arrived);
    }
  }

  // After that: the k-th largest of the orders. Each warp looks at some of them, several lanes at each, and counts how
  // many are no less. `most`: the largest order. By all threads. Has a barrier.
  __device__ __forceinline__ unsigned kth(int k, unsigned& most) {
    constexpr int at_once = all / block_warps, lanes = 32 / at_once, vectors = all / (4 * lanes);
    const int lane = lane_of_thread();
    const unsigned mine = orders[warp_of_thread() * at_once + lane / lanes];
    const auto* const others = reinterpret_cast<const uint4*>(orders) + lane % lanes * vectors;
    int reach = 0;
    most = 0;
    PAPILIO_UNROLL
    for (int n = 0; n < vectors; ++n) {
      const uint4 four = others[(n + 2 * lane) % vectors];  // from different banks of the memory
      reach +=
          (four.x >= mine ? 1 : 0) + (four.y >= mine ? 1 : 0) + (four.z >= mine ? 1 : 0) + (four.w >= mine ? 1 : 0);
      most = max(most, max(max(four.x, four.y), max(four.z, four.w)));
    }
    PAPILIO_UNROLL
    for (int distance = 1; distance < lanes; distance *= 2) reach += __shfl_xor_sync(whole_warp, reach, distance);
    most = __reduce_max_sync(whole_warp, most);
    const unsigned bound = __reduce_max_sync(whole_warp, reach >= k ? mine : 0);
    if (lane == 0) bounds[warp_of_thread()] = bound;
    __syncthreads();
    return __reduce_max_sync(whole_warp, bounds[lane % block_warps]);
  }
#endif
};

// What a block has in its shared memory besides the logits that it reads.
template <int blocks>
struct BoundedFirstMemory {
  FirstMemory first;
  FewMemory few;
  BoundMemory<blocks> groups;
};

#if defined(PAPILIO_BOUNDED_FIRST)

// Sends a key of this block to the first block.
template <int blocks>
__device__ __forceinline__ void send_key(FirstMemory& memory, BoundMemory<blocks>& groups, int place,
                                         std::uint64_t key) {
  if constexpr (blocks == 1)
    memory.keys[place] = key;
  else
    arrival::send(&memory.keys[cluster::rank() * few_taken + place], key, &groups.keys_arrived, 0);
}

// Tells all blocks how many keys this one has, and waits for their numbers. The first block also waits for the keys.
// Returns how many there are, for all threads.
template <int blocks>
__device__ __forceinline__ unsigned join_keys(const FirstMemory& memory, FewMemory& few, BoundMemory<blocks>& groups) {
  const int thread = static_cast<int>(threadIdx.x), lane = lane_of_thread();
  const auto count = static_cast<unsigned>(memory.count);
  if constexpr (blocks == 1) {
    return count;
  } else {
    if (thread < blocks) arrival::send(&few.told[cluster::rank()], count, &groups.counts_arrived, thread);
    arrival::wait(&groups.counts_arrived);
    const unsigned of_block = lane < blocks ? static_cast<unsigned>(few.told[lane]) : 0;
    if (cluster::rank() == 0) {
      const unsigned sent = __reduce_add_sync(whole_warp, min(of_block, unsigned{few_taken}));
      if (thread == 0) arrival::expect(&groups.keys_arrived, 8 * sent);  // some may have arrived before
      arrival::wait(&groups.keys_arrived);
    }
    return __reduce_add_sync(whole_warp, of_block);
  }
}

// Puts the first k of the keys that the blocks sent to this one in order.
template <int blocks>
__device__ __forceinline__ void put_in_order(const FirstMemory& memory, FewMemory& few, int k) {
  const int lane = lane_of_thread(), block = lane % blocks;
  const int here = warp_of_thread() % blocks, taken = blocks == 1 ? memory.count : static_cast<int>(few.told[here]);
  const int others = blocks == 1 ? memory.count : static_cast<int>(few.told[block]);
  const std::uint64_t* const other = memory.keys + block * few_taken;
  for (int n = warp_of_thread() / blocks; n < taken; n += block_warps / blocks) {
    const std::uint64_t key = memory.keys[here * few_taken + n];
    int before = 0;
    PAPILIO_UNROLL_FEW
    for (int j = lane / blocks; j < others; j += 32 / blocks) before += other[j] > key ? 1 : 0;
    before = __reduce_add_sync(whole_warp, before);
    if (lane == 0 && before < k) few.sorted[before] = key;
  }
}

// For a row of which too many logits reach the bound.
template <class S, bool masked>
__device__ __noinline__ void draw_first_again(const TokenCall& call, FirstMemory& memory, FewMemory& few,
                                              std::int64_t row) {
  bool met = true;
  cluster::size() > 1 ? cluster::sync() : __syncthreads();
  if (masked || !draw_few<S>(call, memory, few, row, filter_of_row(call, row), call.rows, met))
    draw_left<S>(call, memory, row);
}

// By the blocks of a cluster.
template <class S, int blocks, int vectors, bool masked>
__device__ __forceinline__ void draw_row_by_bound(const TokenCall& call, BoundedFirstMemory<blocks>& of,
                                                  std::int64_t row, const TokenFilter& filter) {
  FirstMemory& memory = of.first;
  FewMemory& few = of.few;
  BoundMemory<blocks>& groups = of.groups;
  const bool draws = cluster::rank() == 0;
  const int k = among_first(filter);
  if (!valid_filter(filter)) {
    if (draws) put_none(call, row, TokenStatus::bad_filter);
    return;
  }
  if (threadIdx.x == 0) {
    if (blocks > 1) groups.init();
    memory.count = 0;
  }
  cluster::begin();
  using Mask = std::conditional_t<masked, Masked<S>, Unmasked>;
  const RowPart<S, blocks, vectors, Mask> part(call, logits_of_row<S>(call, row).row, Mask(call, row));
  if (draws && warp_of_thread() == block_warps - 1) prepare_few(call, few, row, filter);
  const float largest = part.largest();
  cluster::begun();
  groups.exchange(largest != largest ? ~0u : token_order(largest + 0.0f));
  unsigned most;
  const float bound = logit_of_order(groups.kth(k, most));
  if (most >= token_order(__builtin_inff())) {
    if (draws) put_fault(call, row, most == ~0u ? fault_nan : fault_infinite);
    return;
  }
  if (largest >= bound)
    part.find(bound, [&](float x, std::int64_t category) {
      if (x == -__builtin_inff()) return;
      const int place = atomicAdd(&memory.count, 1);
      if (place < few_taken) send_key<blocks>(memory, groups, place, token_key(token_order(x + 0.0f), category));
    });
  __syncthreads();
  const unsigned count = join_keys<blocks>(memory, few, groups);
  if (count > few_taken) return draw_first_again<S, masked>(call, memory, few, row);
  if (!draws) return;
  put_in_order<blocks>(memory, few, k);
  __syncthreads();
  if (count == 0)
    put_fault(call, row, 0);
  else if (filter.temperature == 0)
    put_largest(call, few, row);
  else
    draw_among(call, few, row, filter, min(static_cast<int>(count), k));
}

#endif

// A cluster has one row.
template <class S, int blocks, int vectors, bool masked>
__global__ void __launch_bounds__(first_threads, vectors == 0 ? 2 : 1)
    draw_first_bounded(const __grid_constant__ TokenCall call) {
#if defined(PAPILIO_BOUNDED_FIRST)
  __shared__ BoundedFirstMemory<blocks> memory;
  execution::let_next_kernel_come();
  const std::int64_t row = blockIdx.x / blocks;
  const TokenFilter filter = filter_of_row(call, row);
  if (way_of(call, filter) == TokenWay::bounded)
    draw_row_by_bound<S, blocks, vectors, masked>(call, memory, row, filter);
  execution::end_after_kernel_before();
#endif
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
