#pragma once

#include <cstdint>

#include "sampling/tokens/filtered_tokens_cuda.cuh"
#include "sampling/tokens/first/bounded_first_cuda.cuh"
#include "sampling/tokens/on_chip/on_chip_tokens_cuda.cuh"
#include "sampling/tokens/top_p/top_p_tokens_cuda.cuh"

// Draws from few rows, each in the way of its own filter, by one kernel. With a kernel per way, each could end only
// after the one before, even if it found no rows. Here a cluster goes on by itself if a row is left over.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int each_way_threads = 512;
static_assert(each_way_threads == first_threads && each_way_threads == slice_threads &&
              each_way_threads == SmallTopP::threads);

// What a block has at the end of its shared memory. Before that it has the logits, or the list of them, that a way
// needs.
template <int blocks, bool plain>
struct EachWayMemory {
  union {
    BoundedFirstMemory<blocks> bounded;
    TopPMemory<SmallTopP> top_p;
    OnChipMemoryOf<OnChip::cut, plain, each_way_threads> on_chip;
  };
  SliceMemory slice;  // if the row is left over
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

// The last bytes of the block's dynamic shared memory.
template <class Memory>
__device__ __forceinline__ Memory& memory_behind(unsigned char* logits) {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return *reinterpret_cast<Memory*>(logits + bytes - sizeof(Memory));
}

// Returns false if the way is none of these, or if the row is left over: the same in all blocks of the cluster.
template <class S, int blocks, int vectors, bool plain>
__device__ __forceinline__ bool draw_in_own_way(const TokenCall& call, EachWayMemory<blocks, plain>& memory,
                                                std::int64_t row, const TokenFilter& filter) {
  using OnChipRow = OnChipDraw<S, OnChip::cut, plain, each_way_threads>;
  switch (way_of(call, filter)) {
    case TokenWay::bounded:
      draw_row_by_bound<S, blocks, vectors, !plain>(call, memory.bounded, row, filter);
      return true;
    case TokenWay::top_p:
      return TopPDraw<SmallTopP, S, !plain>(call, memory.top_p, row).draw(filter);
    case TokenWay::on_chip:
      return OnChipRow(call, memory.on_chip, reinterpret_cast<S*>(top_p_list), row).draw(filter);
    default:
      return false;
  }
}

// Draws from a row of any kind. Called rarely.
template <class S>
__device__ __noinline__ void draw_in_any_way(const TokenCall& call, SliceMemory& memory, std::int64_t row) {
  if (threadIdx.x == 0) memory.candidates = 0;
  cluster::sync();  // no block holds or reads anything of the first try any more
  const TokenFilter filter = filter_of_row(call, row);
  draw_filtered_row<S>(call, memory, row, filter, filter);
}

#endif

// A cluster has one row. Each thread holds up to `vectors` vectors of a row that is drawn from by a bound. `plain`:
// without a mask, bias or rank.
template <class S, int blocks, int vectors, bool plain>
__global__ void __launch_bounds__(each_way_threads, 1) draw_tokens_each_way(const __grid_constant__ TokenCall call) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  auto& memory = memory_behind<EachWayMemory<blocks, plain>>(top_p_list);
  const std::int64_t row = blockIdx.x / blocks;
  if (!draw_in_own_way<S, blocks, vectors, plain>(call, memory, row, filter_of_row(call, row)))
    draw_in_any_way<S>(call, memory.slice, row);
#endif
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
