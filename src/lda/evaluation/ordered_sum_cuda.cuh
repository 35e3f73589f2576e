#pragma once

#include <cstdint>

#include "lda/evaluation/ordered_sum.h"

namespace papilio::lda {

// OrderedSum of a block of up to 32 whole warps.
class BlockOrderedSum {
 public:
  // The sum of `count` >= 1 numbers >= 1e-100 in shared or global memory, in every thread. All threads take part, and
  // the numbers are there for all of them; they may be changed as soon as it returns.
  __device__ static double of(const double* numbers, std::int64_t count) {
    __shared__ double sum;
    __shared__ int next;  // the first part that is not yet in the sum
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const std::int64_t part = (count + threads - 1) / threads;
    const int parts = static_cast<int>((count + part - 1) / part);
    const std::int64_t begin = min(thread * part, count), end = min(begin + part, count);
    // The first numbers double the sum time and again.
    const int first_parts = min(parts, part < 32 ? static_cast<int>(32 / part) : 1);
    if (thread == 0) {
      double first = 0;
      for (std::int64_t i = 0; i < min(first_parts * part, count); ++i) first += numbers[i];
      sum = first;
      next = first_parts;
    }
    __syncthreads();
    while (next < parts) {
      const double here = sum, per_one = units_per_one(here);
      const auto units = static_cast<std::int64_t>(here * per_one);
      RoundedSteps mine;
      if (thread >= next) {
        for (std::int64_t i = begin; i < end; ++i) mine = both_steps(mine, rounded_steps(numbers[i], per_one));
      }
      const RoundedSteps before = scan_before(mine);  // after which all have read sum and next
      const std::int64_t from = after_steps(units, before), to = after_steps(from, mine);
      const bool is_last = thread == parts - 1;
      if (thread < parts && from < end_of_units && (to >= end_of_units || is_last)) {
        double result = static_cast<double>(from) / per_one;
        for (std::int64_t i = begin; i < end; ++i) result += numbers[i];
        sum = result;
        next = thread + 1;
      }
      __syncthreads();
    }
    const double result = sum;
    __syncthreads();
    return result;
  }

 private:
  __device__ static RoundedSteps shuffled_up(const RoundedSteps& steps, int distance) {
    return {__shfl_up_sync(0xffffffffu, steps.even, distance), __shfl_up_sync(0xffffffffu, steps.odd, distance)};
  }

  // Of a warp's threads up to this one.
  __device__ static RoundedSteps scan_of_warp(RoundedSteps steps) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int distance = 1; distance < 32; distance *= 2) {
      const RoundedSteps before = shuffled_up(steps, distance);
      if (lane >= distance) steps = both_steps(before, steps);
    }
    return steps;
  }

  // The steps of all threads before this one.
  __device__ static RoundedSteps scan_before(const RoundedSteps& mine) {
    __shared__ RoundedSteps of_warps[32];
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const RoundedSteps in_warp = scan_of_warp(mine);
    if (lane == 31) of_warps[warp] = in_warp;
    __syncthreads();
    const bool is_there = lane < static_cast<int>(blockDim.x) / 32;
    RoundedSteps earlier = scan_of_warp(is_there ? of_warps[lane] : RoundedSteps{});
    earlier = {__shfl_sync(0xffffffffu, earlier.even, warp - 1), __shfl_sync(0xffffffffu, earlier.odd, warp - 1)};
    if (warp == 0) earlier = {};
    RoundedSteps before = shuffled_up(in_warp, 1);
    if (lane == 0) before = {};
    return both_steps(earlier, before);
  }
};

}  // namespace papilio::lda
