#pragma once

#include <cstdint>

#include "sampling/tokens/token_cluster_cuda.cuh"

// Barriers in shared memory that count bytes, and words that each block of a cluster tells all: they come with the
// news that they are there, so that nobody waits at a barrier of the whole cluster for them.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int most_blocks = 8;  // of a cluster

// Each is waited for once. Before compute capability 9.0 all is there at the next barrier of the block.
namespace arrival {

__device__ __forceinline__ unsigned address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ __forceinline__ void init(std::uint64_t* arrived, int arrivals = 1) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(arrived)), "r"(arrivals) : "memory");
}
// Makes `init` known to the copies and the other blocks that come after it.
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
#else
__device__ __forceinline__ void init(std::uint64_t*, int = 1) {}
__device__ __forceinline__ void init_done() {}
__device__ __forceinline__ void wait(const std::uint64_t*) {}
#endif

}  // namespace arrival

// Words that some blocks tell all blocks, once.
template <int words>
struct ClusterExchange {
  std::uint64_t arrived;
  std::uint64_t of[words][most_blocks];

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // By one thread. Nobody tells before all blocks of the cluster have `begun`.
  __device__ void init(int tellers) {
    if (cluster::size() == 1) return arrival::init(&arrived, words);
    arrival::init(&arrived);
    arrival::expect(&arrived, static_cast<unsigned>(tellers) * words * 8);
  }

  // By all lanes of one warp.
  __device__ void tell(int word, std::uint64_t value) {
    const int block = lane_of_thread();
    if (block >= cluster::size()) return;
    if (cluster::size() == 1) {  // launched without clusters: their instructions are illegal
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
  __device__ void wait_block() const { __syncthreads(); }  // all threads wait
  __device__ void wait_warp() const { __syncwarp(); }      // the warp that told waits
#endif

  // What the block of this lane told; 0 where there is no such block.
  __device__ std::uint64_t of_lane(int word) const {
    return lane_of_thread() < cluster::size() ? of[word][lane_of_thread()] : 0;
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
