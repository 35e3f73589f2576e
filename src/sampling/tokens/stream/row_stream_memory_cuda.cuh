#pragma once

#include <cstdint>
#include <type_traits>

#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_cluster_cuda.cuh"
#include "sampling/tokens/token_interval.h"

// What the warps of a block share while it draws from a stream of rows: barriers, each of which serves every n-th row
// or buffer, and the data that they guard.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int stream_worker_warps = 16, stream_workers = 32 * stream_worker_warps;  // that sum

// A buffer holds a chunk of a block's part of a row: four lines of 16 bytes for each thread that sums. The lines of a
// warp are next to each other: a segment of the row.
inline constexpr unsigned chunk_lines_of_thread = 4, segment_lines = 32 * chunk_lines_of_thread;
inline constexpr unsigned chunk_lines = segment_lines * stream_worker_warps;
inline constexpr unsigned stream_most_buffers = 6, stream_most_chunks = 4;
inline constexpr unsigned stream_most_segments = stream_most_chunks * stream_worker_warps;
// Chunks of a part if tokens alone are asked for: eight blocks then have a row of 131,072.
template <class S>
constexpr unsigned rough_chunks() {
  return sizeof(S) == 4 ? 2 : 1;
}

// One warp loads, and some draw. With log probabilities, four more find the largest logits. If tokens alone are asked
// for, one more takes rows from those that no cluster has yet.
template <class S, bool alone>
constexpr unsigned stream_drawers() {
  return alone ? 8 / rough_chunks<S>() : 3;
}
inline constexpr unsigned stream_finders = 4;
template <class S, bool alone>
constexpr int stream_threads() {
  return stream_workers + 32 * static_cast<int>(1 + stream_drawers<S, alone>() + (alone ? 1 : stream_finders));
}

// There are so many places for what blocks send to each other about a row. No block sends anything for a row before all
// blocks have sent it for the row `lag` before it. A warp that draws is done with a row before it begins with the
// `stream_drawers`-th row after it. So fewer than lag + 2 stream_drawers + 2 rows are open at a time.
inline constexpr unsigned stream_slots = 32;

// If tokens alone are asked for, a cluster takes so many rows before it begins to load them, and tries to take so many
// at a time.
inline constexpr unsigned taken_ahead = 2, taken_at_once = 2;
// What is in a row's place among the tokens until a cluster takes the row, and until it is drawn.
inline constexpr std::int32_t free_row = INT32_MIN, taken_row = INT32_MIN + 1;

struct StreamCall {
  TokenCall call;
  TokenScale scale;            // the largest logit is not known yet
  std::uint32_t rows, longer;  // rows of a cluster; the first `longer` clusters have one more
  // If tokens alone are asked for: a cluster has `rows` for sure. Clusters take the others one by one, each beginning
  // with `own` of them.
  std::uint32_t own;
  std::uint32_t buffers;           // of a block
  std::uint32_t chunks, in_chunk;  // chunks of a part, and their lines; the last chunk of a row may have fewer
  // If tokens alone are asked for: a row is loaded only when it is known whether the row that was loaded so many rows
  // before has to be loaded again.
  std::uint32_t lag;
};

// What is done with a row, part by part.
struct RowJob {
  enum Kind : unsigned { sum_roughly, sum_exactly, end };
  std::int64_t row;
  Kind kind;
  unsigned order;     // for exact sums: of the row's largest logit
  unsigned exchange;  // the job's number: blocks exchange sums by it
};

namespace arrival {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
// A thread that waits may sleep until the barrier is complete, at most for so many nanoseconds at a time.
inline constexpr unsigned longest_sleep = 1'000'000;

// Waits for the n-th use of a barrier; all that counts is whether n is even. Then what threads of this block wrote or
// had copied is visible.
__device__ __forceinline__ void wait_for(const std::uint64_t* arrived, unsigned n) {
  unsigned done = 0;
  while (done == 0)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(address(arrived)), "r"(n & 1u), "r"(longest_sleep)
                 : "memory");
}
// The same for what other blocks of the cluster sent. It also empties the L1 cache.
__device__ __forceinline__ void wait_for_cluster(const std::uint64_t* arrived, unsigned n) {
  unsigned done = 0;
  while (done == 0)
    asm volatile(
        "{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2, %3;"
        "selp.u32 %0, 1, 0, p;}"
        : "=r"(done)
        : "r"(address(arrived)), "r"(n & 1u), "r"(longest_sleep)
        : "memory");
}
// One arrival for a warp, by all of its lanes.
__device__ __forceinline__ void arrive_warp(std::uint64_t* arrived) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) arrive(arrived);
}
__device__ __forceinline__ void copy(void* to, const void* from, unsigned bytes, std::uint64_t* arrived) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(address(arrived))
      : "memory");
}
// Puts a thread's own writes to shared memory before the copies to the same place that it asks for later.
__device__ __forceinline__ void before_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#endif

}  // namespace arrival

// Words that blocks of a cluster send to all blocks, again and again: each block, or if there is one place only one.
template <int words, int places = most_blocks>
struct ExchangeRing {
  std::uint64_t arrived[stream_slots];
  std::uint64_t of[stream_slots][words][places];

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // By one thread for each slot.
  __device__ void init(unsigned slot, int tellers) {
    arrival::init(&arrived[slot]);
    expect(slot, tellers);
  }
  // Makes a slot ready for its next use. By one thread, after it has waited for this use.
  __device__ void expect(unsigned n, int tellers) {
    arrival::expect(&arrived[n % stream_slots], static_cast<unsigned>(tellers) * words * 8);
  }
  // Sends a word to all blocks, by all lanes of one warp. `place`: of this block.
  __device__ void tell(unsigned n, int word, std::uint64_t value, int place) {
    const int block = lane_of_thread();
    if (block >= cluster::size()) return;
    const unsigned slot = n % stream_slots;
    arrival::send(&of[slot][word][place], value, &arrived[slot], block);
  }
  __device__ void wait(unsigned n) const { arrival::wait_for_cluster(&arrived[n % stream_slots], n / stream_slots); }
  // What the block with the number of this lane sent; 0 if there is no such block.
  __device__ std::uint64_t of_lane(unsigned n, int word) const {
    return lane_of_thread() < cluster::size() ? of[n % stream_slots][word][lane_of_thread()] : 0;
  }
  // One of the words that all blocks sent; together the lanes have all. For four words and at most eight blocks.
  __device__ std::uint64_t any_of_lane(unsigned n) const {
    static_assert(words * most_blocks == 32);
    const int block = lane_of_thread() % most_blocks, word = lane_of_thread() / most_blocks;
    return block < cluster::size() ? of[n % stream_slots][word][block] : 0;
  }
#endif
};

struct NoRing {};

// The rough sums of the threads of a block, in groups of sixteen. Lanes read a group each, so there is a gap after each
// group: lanes then read from different banks of the memory.
struct ThreadSums {
  static constexpr unsigned in_group = 16, groups = stream_workers / in_group;
  float sums[stream_workers + 4 * groups];

  __device__ __forceinline__ void put(unsigned thread, float sum) { sums[thread + 4 * (thread / in_group)] = sum; }
  __device__ __forceinline__ const float* of(unsigned group) const { return sums + group * (in_group + 4); }
};

template <class S, bool alone>
struct StreamMemory {
  static constexpr unsigned drawers = stream_drawers<S, alone>(), of_rough = alone ? rough_chunks<S>() : 1;
  // Barriers: of the buffers, and of the places for sums.
  std::uint64_t full[stream_most_buffers], free[stream_most_buffers];
  std::uint64_t summed[drawers], drawn[drawers];
  // An exact sum; or the order of the largest logit, a rough sum, and the rough sum with exponents.
  ExchangeRing<alone ? 3 : 1> sums;
  std::conditional_t<alone, NoRing, ExchangeRing<stream_finders>> largest;  // orders of logits
  // Alone: whether exact sums are needed, and the order of the largest logit; the rows that this cluster takes.
  std::conditional_t<alone, ExchangeRing<1, 1>, NoRing> verdicts, rows;
  std::uint64_t begun[taken_ahead];  // alone: rows that were taken, when they are loaded
  // The sums of a row: rough ones of threads, or exact ones of segments.
  alignas(16) ThreadSums thread_sums[alone ? drawers : 1][of_rough];
  std::uint64_t segment_sums[drawers][stream_most_segments];
  RowJob jobs[stream_most_buffers], job_of_sums[drawers], latest[16];  // of buffers, of sums, and the last ones loaded
  unsigned orders[drawers][alone ? of_rough * stream_worker_warps : 1];  // for rough sums: warps' largest logits

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // By the thread that loads, before it loads.
  __device__ void init_loads() {
    for (unsigned n = 0; n < stream_most_buffers; ++n) arrival::init(&full[n]);
    arrival::init_done();
  }
  // The other barriers, by one thread of each warp that sums.
  __device__ void init(unsigned warp) {
    for (unsigned n = warp; n < stream_slots; n += stream_worker_warps) {
      sums.init(n, cluster::size());
      if constexpr (alone) {
        verdicts.init(n, 1);
        rows.init(n, 1);
      } else {
        largest.init(n, cluster::size());
      }
    }
    if (warp < taken_ahead) arrival::init(&begun[warp]);
    if (warp < stream_most_buffers) arrival::init(&free[warp], stream_worker_warps);
    if (warp < drawers) {
      arrival::init(&summed[warp], stream_worker_warps);
      arrival::init(&drawn[warp]);
    }
    arrival::init_done();
  }
#endif
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
