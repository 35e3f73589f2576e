#pragma once

#include "collective/target.h"
#include "collective/warp_scan.cuh"
#include "warp/cuda_warp.cuh"

namespace papilio::inline PAPILIO_TARGET::collective {

// Does what find_segment (draw_long_rows.cuh) does, by a scan, for up to 256 totals whose sums are
// exact in any order: floats whose exponents are at most 20 apart are multiples of 2^(e - 23),
// where e is the least exponent, and their sum is less than 2^(e + 29). Returns -1 if this does
// not hold or if no running total exceeds the target. `total_of(s)` is the total of segment s.
template <class TotalOf>
__device__ __forceinline__ int find_segment_by_scan(TotalOf total_of, int segments, double u, double& rest,
                                                    double& total) {
  constexpr int most = 8;  // totals per thread
  const int thread = static_cast<int>(threadIdx.x) % 32, own = (segments + 31) / 32;
  if (own > most) return -1;
  float x[most];
  unsigned least = 0x7F80'0000u, greatest = 0;  // magnitudes, as bits
#pragma unroll
  for (int j = 0; j < most; ++j) {
    const int s = thread * own + j;
    x[j] = j < own && s < segments ? total_of(s) : 0.0f;
  }
#pragma unroll
  for (int j = 0; j < most; ++j) {
    const unsigned bits = __float_as_uint(x[j]) & 0x7FFF'FFFFu;
    greatest = bits > greatest ? bits : greatest;
    if (bits != 0 && bits < least) least = bits;
  }
  least = __reduce_min_sync(all_threads, least);
  greatest = __reduce_max_sync(all_threads, greatest);
  if (greatest >= 0x7F80'0000u || greatest / 0x80'0000u > least / 0x80'0000u + 20) return -1;

  double sums[most], sum = 0;
#pragma unroll
  for (int j = 0; j < most; ++j) sums[j] = sum += static_cast<double>(x[j]);
  const double scanned = warp_scan(sum);
  total = __shfl_sync(all_threads, scanned, 31);
  const double target = target_of<warp::CudaWarp<32>, float, double>(u, total), before = scanned - sum;
  int found = -1;
  double left_of_found = 0;
#pragma unroll
  for (int j = most - 1; j >= 0; --j) {
    const int s = thread * own + j;
    if (j >= own || s >= segments || !(target < before + sums[j])) continue;
    found = s;
    left_of_found = j == 0 ? before : before + sums[j > 0 ? j - 1 : 0];
  }
  const unsigned above = __ballot_sync(all_threads, found >= 0);
  if (above == 0) return -1;
  const int from = __ffs(static_cast<int>(above)) - 1;
  found = __shfl_sync(all_threads, found, from);
  left_of_found = __shfl_sync(all_threads, left_of_found, from);
  rest = found == 0 ? target : target - left_of_found;
  return found;
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
