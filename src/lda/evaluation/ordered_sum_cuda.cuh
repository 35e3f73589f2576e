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
    __shared__ SumByUnits sum;
    const Part part(count);
    const SumByUnits mine = add_up(numbers, part, about_before(numbers, part));
    if (mine.is_last) sum = mine;
    __syncthreads();
    if (count > most_about || sum.unknown > most_unknown) return by_rounded_steps(numbers, part);
    if (threadIdx.x == 0) sum.result = walk(sum);
    __syncthreads();
    const double result = sum.result;
    __syncthreads();
    return result;
  }

 private:
  static constexpr unsigned all = 0xffffffffu;
  static constexpr int most_unknown = 128;
  static constexpr std::int64_t most_about = std::int64_t{1} << 20;

  // What a thread has of the numbers.
  struct Part {
    std::int64_t size, begin, end, count;
    int parts;

    __device__ explicit Part(std::int64_t numbers)
        : size((numbers + blockDim.x - 1) / blockDim.x),
          begin(min(threadIdx.x * size, numbers)),
          end(min(begin + size, numbers)),
          count(numbers),
          parts(static_cast<int>((numbers + size - 1) / size)) {}
  };

  // A number whose step is not known beforehand, and the units that the steps before it add.
  struct UnknownStep {
    std::uint64_t units;
    double x;
  };
  struct SumByUnits {
    std::uint64_t units = 0;  // of all steps that are known
    int unknown = 0;          // how many are not
    bool is_last = false;     // those of all threads
    double result = 0;
  };

  __device__ static UnknownStep* unknown_steps() {
    __shared__ UnknownStep steps[most_unknown];
    return steps;
  }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ static int warps() { return static_cast<int>(blockDim.x) / 32; }

  // What this lane and those before it have.
  template <class T>
  __device__ static T up_to_lane(T value) {
    for (int distance = 1; distance < 32; distance *= 2) {
      const T before = __shfl_up_sync(all, value, distance);
      if (lane() >= distance) value += before;
    }
    return value;
  }

  template <class T>
  __device__ static T of_warp(T value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(all, value, distance);
    return value;
  }

  // The sum before this thread's part, but for rounding.
  __device__ static double about_before(const double* numbers, const Part& part) {
    __shared__ double of_warps[32];
    double own = 0;
    for (std::int64_t i = part.begin; i < part.end; ++i) own += numbers[i];
    const double up_to = up_to_lane(own);
    double before = __shfl_up_sync(all, up_to, 1);
    if (lane() == 0) before = 0;
    if (lane() == 31) of_warps[warp()] = up_to;
    __syncthreads();
    return of_warp(lane() < warp() ? of_warps[lane()] : 0.0) + before;
  }

  // Lists the unknown steps, as far as there is room, and returns what this thread and those before it have. For all
  // to read after the next barrier.
  __device__ static SumByUnits add_up(const double* numbers, const Part& part, double about) {
    __shared__ std::uint64_t units_of_warps[32];
    __shared__ int unknown_of_warps[32];
    std::uint64_t units = 0;
    int unknown = 0;
    double at = about;
    for (std::int64_t i = part.begin; i < part.end; ++i) {
      const KnownStep step = known_step(at, numbers[i]);
      units += step.units;
      unknown += step.is_known ? 0 : 1;
      at += numbers[i];
    }
    const std::uint64_t units_up_to = up_to_lane(units);
    const int unknown_up_to = up_to_lane(unknown);
    if (lane() == 31) {
      units_of_warps[warp()] = units_up_to;
      unknown_of_warps[warp()] = unknown_up_to;
    }
    __syncthreads();
    const std::uint64_t units_before = of_warp(lane() < warp() ? units_of_warps[lane()] : 0);
    const int unknown_before = of_warp(lane() < warp() ? unknown_of_warps[lane()] : 0);
    const SumByUnits result = {units_before + units_up_to, unknown_before + unknown_up_to,
                               threadIdx.x + 1 == blockDim.x};
    if (unknown > 0) list_unknown(numbers, part, about, result.units - units, result.unknown - unknown);
    return result;
  }

  __device__ static void list_unknown(const double* numbers, const Part& part, double about, std::uint64_t units,
                                      int place) {
    for (std::int64_t i = part.begin; i < part.end; ++i) {
      const KnownStep step = known_step(about, numbers[i]);
      if (!step.is_known && place < most_unknown) unknown_steps()[place++] = {units, numbers[i]};
      units += step.units;
      about += numbers[i];
    }
  }

  // Adds the listed numbers, and what lies between them as units.
  __device__ static double walk(const SumByUnits& sum) {
    double result = 0;
    std::uint64_t done = 0;
    for (int i = 0; i < sum.unknown; ++i) {
      const UnknownStep step = unknown_steps()[i];
      result = after_units(result, step.units - done) + step.x;
      done = step.units;
    }
    return after_units(result, sum.units - done);
  }

  // The same by steps that are known for even and odd sums, a power of two of the sum after the other.
  __device__ static double by_rounded_steps(const double* numbers, const Part& part) {
    __shared__ double sum;
    __shared__ int next;  // the first part that is not yet in the sum
    const int thread = static_cast<int>(threadIdx.x);
    // The first numbers double the sum time and again.
    const int first_parts = min(part.parts, part.size < 32 ? static_cast<int>(32 / part.size) : 1);
    if (thread == 0) {
      double first = 0;
      for (std::int64_t i = 0; i < min(first_parts * part.size, part.count); ++i) first += numbers[i];
      sum = first;
      next = first_parts;
    }
    __syncthreads();
    while (next < part.parts) {
      const double here = sum, per_one = units_per_one(here);
      const auto units = static_cast<std::int64_t>(here * per_one);
      RoundedSteps mine;
      if (thread >= next) {
        for (std::int64_t i = part.begin; i < part.end; ++i) {
          mine = both_steps(mine, rounded_steps(numbers[i], per_one));
        }
      }
      const RoundedSteps before = scan_before(mine);  // after which all have read sum and next
      const std::int64_t from = after_steps(units, before), to = after_steps(from, mine);
      const bool is_last = thread == part.parts - 1;
      if (thread < part.parts && from < end_of_units && (to >= end_of_units || is_last)) {
        double result = static_cast<double>(from) / per_one;
        for (std::int64_t i = part.begin; i < part.end; ++i) result += numbers[i];
        sum = result;
        next = thread + 1;
      }
      __syncthreads();
    }
    const double result = sum;
    __syncthreads();
    return result;
  }

  __device__ static RoundedSteps shuffled_up(const RoundedSteps& steps, int distance) {
    return {__shfl_up_sync(all, steps.even, distance), __shfl_up_sync(all, steps.odd, distance)};
  }

  // Of a warp's threads up to this one.
  __device__ static RoundedSteps scan_of_warp(RoundedSteps steps) {
    for (int distance = 1; distance < 32; distance *= 2) {
      const RoundedSteps before = shuffled_up(steps, distance);
      if (lane() >= distance) steps = both_steps(before, steps);
    }
    return steps;
  }

  // The steps of all threads before this one.
  __device__ static RoundedSteps scan_before(const RoundedSteps& mine) {
    __shared__ RoundedSteps of_warps[32];
    const RoundedSteps in_warp = scan_of_warp(mine);
    if (lane() == 31) of_warps[warp()] = in_warp;
    __syncthreads();
    RoundedSteps earlier = scan_of_warp(lane() < warps() ? of_warps[lane()] : RoundedSteps{});
    earlier = {__shfl_sync(all, earlier.even, warp() - 1), __shfl_sync(all, earlier.odd, warp() - 1)};
    if (warp() == 0) earlier = {};
    RoundedSteps before = shuffled_up(in_warp, 1);
    if (lane() == 0) before = {};
    return both_steps(earlier, before);
  }
};

}  // namespace papilio::lda
