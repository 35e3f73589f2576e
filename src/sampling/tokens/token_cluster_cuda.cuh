#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "warp/portability.h"

// Cooperation of the blocks that share a row (a cluster), and of the threads of a block. Before compute capability 9.0
// there are no clusters, and each row has one block.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

namespace cluster {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ __forceinline__ int rank() { return static_cast<int>(cooperative_groups::this_cluster().block_rank()); }
__device__ __forceinline__ int size() { return static_cast<int>(cooperative_groups::this_cluster().num_blocks()); }
__device__ __forceinline__ void sync() { cooperative_groups::this_cluster().sync(); }
// All threads call `begin` and later `begun`: after that all blocks of the cluster are running. This does not order
// their memory accesses.
__device__ __forceinline__ void begin() {
  if (size() > 1) asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ __forceinline__ void begun() {
  if (size() > 1) asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// The address of the same shared variable in another block.
template <class T>
__device__ __forceinline__ T* at(T* p, int block) {
  return cooperative_groups::this_cluster().map_shared_rank(p, static_cast<unsigned>(block));
}
#else
__device__ __forceinline__ int rank() { return 0; }
__device__ __forceinline__ int size() { return 1; }
__device__ __forceinline__ void sync() { __syncthreads(); }
__device__ __forceinline__ void begin() {}
__device__ __forceinline__ void begun() {}
template <class T>
__device__ __forceinline__ T* at(T* p, int) {
  return p;
}
#endif

}  // namespace cluster

using Wide = unsigned long long;  // the type of 64-bit atomics

inline constexpr unsigned whole_warp = 0xFFFF'FFFFu;

__device__ __forceinline__ int lane_of_thread() { return static_cast<int>(threadIdx.x % 32); }
__device__ __forceinline__ int warp_of_thread() { return static_cast<int>(threadIdx.x / 32); }

// The sum of the values of the lanes up to this one.
template <class T>
__device__ __forceinline__ T sum_to_lane(T x) {
  PAPILIO_UNROLL
  for (int distance = 1; distance < 32; distance *= 2) {
    const T other = __shfl_up_sync(whole_warp, x, static_cast<unsigned>(distance));
    if (lane_of_thread() >= distance) x += other;
  }
  return x;
}

template <class T>
__device__ __forceinline__ T sum_of_warp(T x) {
  PAPILIO_UNROLL
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(whole_warp, x, distance);
  return x;
}

// The sum over a warp of numbers up to 2^52, which every lane gets. One instruction sums each half.
__device__ __forceinline__ std::uint64_t sum_of_warp_by_halves(std::uint64_t x) {
  constexpr unsigned half = 26;
  const unsigned low = __reduce_add_sync(whole_warp, static_cast<unsigned>(x) & ((1u << half) - 1));
  const unsigned high = __reduce_add_sync(whole_warp, static_cast<unsigned>(x >> half));
  return (std::uint64_t{high} << half) + low;
}

// Returns the lane whose interval contains the target, from each lane's sum and the sum up to it. The target becomes
// relative to that interval.
__device__ __forceinline__ int lane_of_target(std::uint64_t sum, std::uint64_t to, std::uint64_t& target) {
  const int lane = __ffs(static_cast<int>(__ballot_sync(whole_warp, target < to))) - 1;
  target -= __shfl_sync(whole_warp, to - sum, lane);
  return lane;
}

// The sum over the threads up to this one, and over all, for a block of `threads`. Takes two barriers; `scratch` may be
// reused after the next barrier.
template <int threads, class T>
__device__ __forceinline__ T sum_to_thread(T x, T* scratch, T& all) {
  constexpr int warps = threads / 32;
  const T within = sum_to_lane(x);
  __syncthreads();
  if (lane_of_thread() == 31) scratch[warp_of_thread()] = within;
  __syncthreads();
  T before = 0;
  all = 0;
  PAPILIO_UNROLL
  for (int w = 0; w < warps; ++w) {
    before += w < warp_of_thread() ? scratch[w] : 0;
    all += scratch[w];
  }
  return before + within;
}

// Adds to a 64-bit integer in shared memory, half by half: there are no 64-bit atomic additions there.
__device__ __forceinline__ void add_halves(unsigned* halves, std::uint64_t x) {
  const auto low = static_cast<unsigned>(x);
  const unsigned before = atomicAdd(halves, low);
  const unsigned high = static_cast<unsigned>(x >> 32) + (before > ~low ? 1 : 0);
  if (high != 0) atomicAdd(halves + 1, high);
}

// Sorts keys in descending order, by all `threads` of a block: a bitonic network over the next power of two, filled up
// with zeros. Begins and ends with a barrier.
template <int threads>
__device__ __forceinline__ void sort_keys(std::uint64_t* keys, int count) {
  int size = 2;
  while (size < count) size *= 2;
  __syncthreads();
  for (int n = count + static_cast<int>(threadIdx.x); n < size; n += threads) keys[n] = 0;
  for (int length = 2; length <= size; length *= 2)
    for (int distance = length / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (int pair = static_cast<int>(threadIdx.x); pair < size / 2; pair += threads) {
        const int low = pair / distance * 2 * distance + pair % distance, high = low + distance;
        const std::uint64_t a = keys[low], b = keys[high];
        if ((a < b) == ((low & length) == 0)) {
          keys[low] = b;
          keys[high] = a;
        }
      }
    }
  __syncthreads();
}

// --- Barriers in shared memory that count bytes, and words that the blocks of a cluster send to each other. The
// arrival of the words completes such a barrier, so no barrier of the whole cluster is needed.

inline constexpr int most_blocks = 8;  // of a cluster

// Each barrier is used once. Before compute capability 9.0 the next barrier of the block does the same.
namespace arrival {

__device__ __forceinline__ unsigned address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ __forceinline__ void init(std::uint64_t* arrived, int arrivals = 1) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(arrived)), "r"(arrivals) : "memory");
}
// Ends the use of a barrier, so that it can be initialized again.
__device__ __forceinline__ void end(std::uint64_t* arrived) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address(arrived)) : "memory");
}
// Makes `init` visible to later copies and to the other blocks.
__device__ __forceinline__ void init_done() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ __forceinline__ void expect(std::uint64_t* arrived, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(arrived)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void arrive(std::uint64_t* arrived) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(arrived)) : "memory");
}

__device__ __forceinline__ void wait(const std::uint64_t* arrived) {
  unsigned done = 0;
  while (done == 0)
    asm volatile(
        "{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
        : "=r"(done)
        : "r"(address(arrived))
        : "memory");
}
// The address of a shared variable in another block.
__device__ __forceinline__ unsigned address_in(const void* here, int block) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address(here)), "r"(block));
  return there;
}
// Sends a word to the place of a shared variable in another block. Its arrival completes the bytes of a barrier there.
__device__ __forceinline__ void send(std::uint64_t* place, std::uint64_t value, std::uint64_t* arrived, int block) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(address_in(place, block)),
      "l"(value), "r"(address_in(arrived, block))
      : "memory");
}
__device__ __forceinline__ void send(unsigned* place, unsigned value, std::uint64_t* arrived, int block) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(address_in(place, block)),
      "r"(value), "r"(address_in(arrived, block))
      : "memory");
}
// Orders earlier accesses of shared memory before later copies into it.
__device__ __forceinline__ void order_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#else
__device__ __forceinline__ void order_copies() {}
__device__ __forceinline__ void init(std::uint64_t*, int = 1) {}
__device__ __forceinline__ void end(std::uint64_t*) {}
__device__ __forceinline__ void init_done() {}
__device__ __forceinline__ void wait(const std::uint64_t*) {}
#endif

}  // namespace arrival

// Starts to prefetch the beginning of an array into the L2 cache. By one thread.
template <class T>
__device__ __forceinline__ void prefetch(const T* from, std::int64_t count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr std::int64_t most = 65536;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(from) + 15) & ~std::uintptr_t{15};
  const std::int64_t behind = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(from + count) - begin);
  const auto bytes = static_cast<unsigned>(max(std::int64_t{0}, min(most, behind))) & ~15u;
  if (bytes != 0)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                     __cvta_generic_to_global(reinterpret_cast<const void*>(begin))),
                 "r"(bytes)
                 : "memory");
#endif
}

// Words that some blocks of a cluster send to all of its blocks, once.
template <int words>
struct ClusterExchange {
  std::uint64_t arrived;
  std::uint64_t of[words][most_blocks];

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // Called by one thread. No block sends before all blocks of the cluster have `begun`.
  __device__ void init(int tellers) {
    if (cluster::size() == 1) return arrival::init(&arrived, words);
    arrival::init(&arrived);
    arrival::expect(&arrived, static_cast<unsigned>(tellers) * words * 8);
  }

  // Called by all lanes of one warp.
  __device__ void tell(int word, std::uint64_t value) {
    const int block = lane_of_thread();
    if (block >= cluster::size()) return;
    if (cluster::size() == 1) {  // launched without clusters, whose instructions would be illegal
      of[word][0] = value;
      return arrival::arrive(&arrived);
    }
    const auto there = [&](const void* here) {
      unsigned address;
      asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(arrival::address(here)), "r"(block));
      return address;
    };
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
                     there(&of[word][cluster::rank()])),
                 "l"(value), "r"(there(&arrived))
                 : "memory");
  }

  __device__ void wait_block() const { arrival::wait(&arrived); }
  __device__ void wait_warp() const { arrival::wait(&arrived); }
#else
  __device__ void init(int) {}
  __device__ void tell(int word, std::uint64_t value) {
    if (lane_of_thread() == 0) of[word][0] = value;
  }
  __device__ void wait_block() const { __syncthreads(); }  // called by all threads
  __device__ void wait_warp() const { __syncwarp(); }      // called by the warp that sent
#endif

  // Called by one thread, after a barrier of the cluster.
  __device__ void end() { arrival::end(&arrived); }

  // The word from the block with this lane's number; 0 if there is no such block.
  __device__ std::uint64_t of_lane(int word) const {
    return lane_of_thread() < cluster::size() ? of[word][lane_of_thread()] : 0;
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
