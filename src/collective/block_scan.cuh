#pragma once

#include "collective/scan.h"
#include "warp/cuda_warp.cuh"

// Scans and reductions by all threads of a CUDA block, for your own kernels: thread t of block_threads has
// element t. Every thread of the block takes part; one without an element passes the operator's neutral element.
//
// T is trivially copyable, of whole 32-bit words; `op` is associative (collective/operators.h, or your own),
// its left operand the earlier element. Results depend only on the elements and the number of threads: the same
// bits in every launch, and on the host by the steps of collective/scan.h. A call takes two synchronisations
// and about a dozen exchanges. `shared` is a __shared__ variable of the block; all calls may use the same one:
//
//   __shared__ papilio::collective::BlockTotals<float, block_threads / 32> shared;
//   const auto [sum, total] = papilio::collective::scan_block<block_threads>(x, papilio::collective::Add{}, shared);

namespace papilio::inline PAPILIO_TARGET::collective {

// Warps per block. A block has one dimension and consists of whole warps: thread t is lane t % 32 of warp t / 32.
template <int block_threads>
inline constexpr int block_warps = block_threads / 32;

// The inclusive scan, and in every thread the total of the block.
template <int block_threads, class T, class Op>
__device__ __forceinline__ Scanned<T> scan_block(const T& x, Op op,
                                                 BlockTotals<T, block_warps<block_threads>>& shared) {
  static_assert(block_threads % 32 == 0 && block_threads <= 1024);
  using W = warp::CudaWarp<32>;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const T own = begin_scan<W, T>(shared, warp, x, op);
  __syncthreads();
  const Scanned<T> result = end_scan<W, T>(shared, warp, own, op);
  __syncthreads();
  return result;
}

// The total of the block, in every thread.
template <int block_threads, class T, class Op>
__device__ __forceinline__ T reduce_block(const T& x, Op op, BlockTotals<T, block_warps<block_threads>>& shared) {
  static_assert(block_threads % 32 == 0 && block_threads <= 1024);
  using W = warp::CudaWarp<32>;
  begin_reduce<W, T>(shared, static_cast<int>(threadIdx.x) / 32, x, op);
  __syncthreads();
  const T result = end_reduce<W, T>(shared, op);
  __syncthreads();
  return result;
}

// The inclusive scan that restarts at each thread with `head`. A value whose `begins` is 0 belongs to a segment that
// began before this block: join it to the total of the block before, by JoinRuns.
template <int block_threads, class T, class Op>
__device__ __forceinline__ Scanned<RunEnd<T>> segmented_scan_block(const T& x, bool head, Op op,
                                                                   BlockTotals<T, block_warps<block_threads>>& shared) {
  static_assert(block_threads % 32 == 0 && block_threads <= 1024);
  using W = warp::CudaWarp<32>;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const T own = begin_segmented_scan<W, T>(shared, warp, x, {head}, op);
  __syncthreads();
  const Scanned<RunEnd<T>> result = end_segmented_scan<W, T>(shared, warp, own, {head}, op);
  __syncthreads();
  return result;
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
