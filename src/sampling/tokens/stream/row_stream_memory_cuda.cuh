#pragma once

#include <cstdint>

#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_cluster_cuda.cuh"
#include "sampling/tokens/token_interval.h"

// What the warps of a block share while it draws from a stream of rows: barriers, each of which serves every n-th row,
// and the data that they guard.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int stream_worker_warps = 16, stream_workers = 32 * stream_worker_warps;
// Warps that draw, and one that loads; one that tells the largest logits unless tokens alone are asked for.
constexpr unsigned stream_drawers(bool alone) { return alone ? 8 : 4; }
constexpr int stream_threads(bool alone) {
  return stream_workers + 32 * static_cast<int>(stream_drawers(alone) + (alone ? 1 : 2));
}
inline constexpr unsigned stream_most_buffers = 4;
// For what blocks send to each other about a row. No block sends for a row before all have sent for the row `lag`
// (largest logits: two) before it, and a warp that draws is done with a row before it begins with the next but
// `stream_drawers`; so fewer than lag + 2 stream_drawers + 2 rows are open.
inline constexpr unsigned stream_slots = 32;

struct StreamCall {
  TokenCall call;
  std::uint32_t buffers;
  // In jobs: before a load, the verdict on the row that was loaded this many jobs before is waited for.
  std::uint32_t lag;
};

// What is done with the part of a row that is in a buffer.
struct RowJob {
  enum Kind : unsigned { sum_roughly, sum_exactly, end };
  std::int64_t row;
  Kind kind;
  unsigned order;     // of the row's largest logit, for exact sums
  unsigned exchange;  // its number among those that have something to exchange
};

namespace arrival {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
// Waits for the n-th use of a barrier, even or odd.
__device__ __forceinline__ void wait_for(const std::uint64_t* arrived, unsigned n) {
  unsigned done = 0;
  while (done == 0)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(address(arrived)), "r"(n & 1u)
                 : "memory");
}
// By all lanes of a warp, once for all.
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
#endif

}  // namespace arrival

// Words that blocks of a cluster of several send to all, again and again.
template <int words>
struct ExchangeRing {
  std::uint64_t arrived[stream_slots];
  std::uint64_t of[stream_slots][words][most_blocks];

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // By the thread of a slot.
  __device__ void init(unsigned slot, int tellers) {
    arrival::init(&arrived[slot]);
    expect(slot, tellers);
  }
  // By one thread, for the next use of a place, before its end is waited for.
  __device__ void expect(unsigned n, int tellers) {
    arrival::expect(&arrived[n % stream_slots], static_cast<unsigned>(tellers) * words * 8);
  }
  // By all lanes of one warp.
  __device__ void tell(unsigned n, int word, std::uint64_t value, int place) {
    const int block = lane_of_thread();
    if (block >= cluster::size()) return;
    const unsigned slot = n % stream_slots;
    const auto there = [&](const void* here) {
      unsigned address;
      asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(arrival::address(here)), "r"(block));
      return address;
    };
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
                     there(&of[slot][word][place])),
                 "l"(value), "r"(there(&arrived[slot]))
                 : "memory");
  }
  __device__ void wait(unsigned n) const { arrival::wait_for(&arrived[n % stream_slots], n / stream_slots); }
  // What the block of this lane sent; 0 if there is no such block.
  __device__ std::uint64_t of_lane(unsigned n, int word) const {
    return lane_of_thread() < cluster::size() ? of[n % stream_slots][word][lane_of_thread()] : 0;
  }
#endif
};

// The sums of the threads of a block. Lanes read sixteen each, so there is room between these.
union ThreadSums {
  static constexpr unsigned of_lane = stream_workers / 32;
  std::uint64_t exact[stream_workers + 32];
  float rough[stream_workers + 4 * 32];

  __device__ __forceinline__ void put(unsigned thread, std::uint64_t sum) { exact[thread + thread / of_lane] = sum; }
  __device__ __forceinline__ void put(unsigned thread, float sum) { rough[thread + 4 * (thread / of_lane)] = sum; }
  __device__ __forceinline__ const std::uint64_t* exact_of_lane(unsigned lane) const {
    return exact + lane * (of_lane + 1);
  }
  __device__ __forceinline__ const float* rough_of_lane(unsigned lane) const { return rough + lane * (of_lane + 4); }
};

template <bool alone>
struct StreamMemory {
  static constexpr unsigned drawers = stream_drawers(alone);
  std::uint64_t full[stream_most_buffers], free[stream_most_buffers];  // of the buffers
  std::uint64_t summed[drawers], drawn[drawers];                       // of the sums
  std::uint64_t warps_largest[drawers];                                // of the orders
  ExchangeRing<2> sums;      // the order of the largest logit, and a rough sum; or an exact one
  ExchangeRing<1> largest;   // orders of logits
  ExchangeRing<1> verdicts;  // whether exact sums are needed, and the order of the largest logit
  alignas(16) ThreadSums thread_sums[drawers];
  RowJob jobs[stream_most_buffers], job_of_sums[drawers], latest[16];
  unsigned orders[drawers][stream_worker_warps];  // of the largest logits of warps
  TokenScale scale;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // By the thread that loads, before it does.
  __device__ void init_loads() {
    for (unsigned n = 0; n < stream_most_buffers; ++n) arrival::init(&full[n]);
    arrival::init_done();
  }
  // The others, by all lanes of one warp.
  __device__ void init() {
    static_assert(stream_slots == 32 && stream_most_buffers <= 32 && drawers <= 32);
    const auto lane = static_cast<unsigned>(lane_of_thread());
    if (lane < stream_most_buffers) arrival::init(&free[lane], stream_worker_warps);
    if (lane < drawers) {
      arrival::init(&summed[lane], stream_worker_warps);
      arrival::init(&drawn[lane]);
      arrival::init(&warps_largest[lane], stream_worker_warps);
    }
    sums.init(lane, cluster::size());
    largest.init(lane, cluster::size());
    verdicts.init(lane, 1);
    arrival::init_done();
  }
#endif
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
