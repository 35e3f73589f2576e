#pragma once

#include <cstdint>

#include "sampling/tokens/stream/row_stream_memory_cuda.cuh"

// The rows of a stream that go to the cluster that is first to take them, if tokens alone are asked for. One warp of a
// cluster's first block takes rows, a few ahead of those that are loaded.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

// Each row belongs to one cluster, which says in the row's place among the tokens that it is free. Whichever cluster
// then finds this there takes the row. What was there before may look the same, and some cluster may take such a row
// too early. Then it is drawn twice, and the same token is written twice.
template <class S>
class RowTaker {
 public:
  // `first`: the first of these rows. `cluster`: the number of this cluster.
  __device__ RowTaker(const StreamCall& of, StreamMemory<S, true>& memory, std::int64_t first, std::int64_t cluster)
      : memory_(memory),
        first_(first),
        places_(of.call.tokens + first),
        count_(of.call.rows - first),
        own_(min(count_, cluster * of.own)),
        end_of_own_(min(count_, own_ + of.own)) {}

  // By all lanes of a warp.
  __device__ void take() const {
    for (std::int64_t n = own_ + lane_of_thread(); n < end_of_own_; n += 32) put_place(places_ + n, free_row);
    __syncwarp();
    unsigned n = 0;
    // So many rows, from the first own one on and around, are not free any more.
    for (std::int64_t looked = 0; looked < count_;) {
      for (unsigned next = n; next < n + taken_at_once; ++next) wait_for_begun(next);
      const std::int64_t here = looked + lane_of_thread();
      const std::int64_t row = own_ + here < count_ ? own_ + here : own_ + here - count_;
      const unsigned free = __ballot_sync(whole_warp, here < count_ && place_of(places_ + row) == free_row);
      const unsigned before = free & ((1u << lane_of_thread()) - 1);
      const bool tried = (free >> lane_of_thread() & 1u) != 0 && __popc(before) < static_cast<int>(taken_at_once);
      const bool taken = tried && atomicCAS(places_ + row, free_row, taken_row) == free_row;
      const unsigned all_tried = __ballot_sync(whole_warp, tried);
      for (unsigned left = __ballot_sync(whole_warp, taken); left != 0; left &= left - 1, ++n)
        tell(n, first_ + __shfl_sync(whole_warp, row, __ffs(static_cast<int>(left)) - 1));
      looked += all_tried == free ? 32 : 32 - __clz(static_cast<int>(all_tried));
    }
    wait_for_begun(n);
    tell(n, -1);
  }

 private:
  // Waits until there is a place for the n-th row that is taken.
  __device__ __forceinline__ void wait_for_begun(unsigned n) const {
    if (n >= taken_ahead) arrival::wait_for(&memory_.begun[n % taken_ahead], n / taken_ahead - 1);
  }
  // Tells the blocks of the cluster the n-th row; -1: there is none.
  __device__ __forceinline__ void tell(unsigned n, std::int64_t row) const {
    memory_.rows.tell(n, 0, static_cast<std::uint64_t>(row), 0);
  }

  static __device__ void put_place(std::int32_t* place, std::int32_t value) {
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(place)), "r"(value) : "memory");
  }
  static __device__ std::int32_t place_of(const std::int32_t* place) {
    std::int32_t value;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(place)) : "memory");
    return value;
  }

  StreamMemory<S, true>& memory_;
  std::int64_t first_;
  std::int32_t* places_;  // of these rows, among the tokens
  std::int64_t count_, own_, end_of_own_;
};

#endif

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
