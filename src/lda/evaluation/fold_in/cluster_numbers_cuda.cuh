#pragma once

#include <cstdint>

#include "sampling/tokens/token_cluster_cuda.cuh"

// Numbers that the blocks of a cluster tell one another, time and again. A number comes with the news that it is there:
// blocks wait for numbers, and neither for one another nor for memory.

namespace papilio::lda {

// Each time every block is told `count` numbers of one array in its shared memory. A block has read them before it
// tells what the others need in order to tell it the next.
class ClusterNumbers {
 public:
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // By one thread; the blocks of the cluster meet before anyone tells.
  __device__ void init(int count) {
    sampling_kernel::arrival::init(&arrived_);
    sampling_kernel::arrival::init_done();
    expect(count);
  }

  // The next time, by one thread, when all have waited. Numbers may be there before.
  __device__ void expect(int count) { sampling_kernel::arrival::expect(&arrived_, static_cast<unsigned>(count) * 8); }

  // The number at `here` of a block.
  __device__ __forceinline__ void tell(int block, const double* here, double number) {
    asm volatile(
        "{.reg .b32 to, at;\n"
        "mapa.shared::cluster.u32 to, %0, %3;\n"
        "mapa.shared::cluster.u32 at, %1, %3;\n"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [to], %2, [at];}" ::"r"(address(here)),
        "r"(address(&arrived_)), "l"(__double_as_longlong(number)), "r"(block)
        : "memory");
  }

  // For all numbers, by all threads. `time` counts from 0.
  __device__ __forceinline__ void wait(int time) const {
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{.reg .pred p;\n"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
          "selp.u32 %0, 1, 0, p;}"
          : "=r"(done)
          : "r"(address(&arrived_)), "r"(time & 1)
          : "memory");
    }
  }
#else
  __device__ void init(int) {}
  __device__ void expect(int) {}
  __device__ void tell(int, const double*, double) {}
  __device__ void wait(int) const {}
#endif

 private:
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ static unsigned address(const void* shared) { return sampling_kernel::arrival::address(shared); }
#endif

  std::uint64_t arrived_;
};

}  // namespace papilio::lda
