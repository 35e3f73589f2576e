#pragma once

#include <cstdint>

#include "lda/evaluation/fold_in/ordered_sum.h"

namespace papilio::lda {

// Numbers one after the other, in shared or global memory. BlockOrderedSum takes what has these two.
struct NumbersInOrder {
  const double* numbers;

  __device__ double at(std::int64_t i) const { return numbers[i]; }
  // Number i, which is even, and the next one, or anything where there is none before `end`.
  __device__ double2 pair(std::int64_t i, std::int64_t end) const {
    return {numbers[i], i + 1 < end ? numbers[i + 1] : 0};
  }
};

// OrderedSum of a block of up to 32 whole warps.
class BlockOrderedSum {
 public:
  __device__ explicit BlockOrderedSum(std::int64_t count) : part_(count) {}

  // The sum of so many numbers >= 1e-100, at least one, in every thread. All threads take part, and the numbers are
  // there for all of them; they may be changed as soon as it returns.
  template <class Numbers>
  __device__ double of(const Numbers& numbers) const {
    if (part_.size <= Few::most) return of_parts(Few(numbers, part_), numbers, part_);
    return of_parts(Many<Numbers>{numbers, part_.begin, part_.end}, numbers, part_);
  }

 private:
  static constexpr unsigned all = 0xffffffffu;
  static constexpr int most_unknown = 64;
  static constexpr std::int32_t most_about = 1 << 20;

  // What a thread has of the numbers: an even number of them, but for the last.
  struct Part {
    std::int32_t size, begin, end, count;

    __device__ explicit Part(std::int64_t numbers)
        : size((static_cast<std::int32_t>((numbers - 1) / blockDim.x) + 2) & ~1),
          begin(static_cast<std::int32_t>(min(std::int64_t{threadIdx.x} * size, numbers))),
          end(static_cast<std::int32_t>(min(std::int64_t{begin} + size, numbers))),
          count(static_cast<std::int32_t>(numbers)) {}
    __device__ int parts() const { return static_cast<int>((std::int64_t{count} + size - 1) / size); }
  };

  // A thread's numbers: in memory, or in registers.
  template <class Numbers>
  struct Many {
    Numbers numbers;
    std::int32_t begin, end;

    // each(step, number, about what is before it), where `about` is before the first.
    template <class Each>
    __device__ void find_steps(double about, Each each) const {
      for (std::int32_t i = begin; i < end; ++i) {
        const double x = numbers.at(i);
        each(known_step(about, x), x, about);
        about += x;
      }
    }
    template <class Each>
    __device__ void same_steps(double about, Each each) const {
      find_steps(about, each);
    }
    __device__ double sum() const {
      double sum = 0;
      for (std::int32_t i = begin; i < end; ++i) sum += numbers.at(i);
      return sum;
    }
  };
  struct Few {
    static constexpr int most = 8;
    double x[most];
    KnownStep step[most];
    int count;

    template <class Numbers>
    __device__ Few(const Numbers& numbers, const Part& part) : count(part.end - part.begin) {
#pragma unroll
      for (int i = 0; i < most; i += 2) {
        const double2 two = i < count ? numbers.pair(part.begin + i, part.end) : double2{0, 0};
        x[i] = two.x;
        x[i + 1] = i + 1 < count ? two.y : 0;
      }
    }
    template <class Each>
    __device__ void find_steps(double about, Each each) {
#pragma unroll
      for (int i = 0; i < most; ++i) {
        step[i] = known_step(about, x[i]);
        if (i >= count) step[i] = {true, 0};
        each(step[i], x[i], about);
        about += x[i];
      }
    }
    template <class Each>
    __device__ void same_steps(double about, Each each) const {
#pragma unroll
      for (int i = 0; i < most; ++i) {
        each(step[i], x[i], about);
        about += x[i];
      }
    }
    __device__ double sum() const { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); }
  };

  // A number whose step is not known beforehand, the units that the steps before it add, and about what they add up to.
  struct UnknownStep {
    std::uint64_t units;
    double x, about;
  };
  struct SumByUnits {
    std::uint64_t units = 0;  // of all steps that are known
    int unknown = 0;          // how many are not
    double about = 0;
    double result = 0;
  };
  // What is added one after the other: what steps before a number add, and the number.
  struct Addends {
    double before, x;
  };

  __device__ static UnknownStep* unknown_steps() {
    __shared__ UnknownStep steps[most_unknown + 1];
    return steps;
  }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ static int warps() { return static_cast<int>(blockDim.x) / 32; }

  // What this lane and those before it have.
  template <class T>
  __device__ static T up_to_lane(T value) {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const T before = __shfl_up_sync(all, value, distance);
      if (lane() >= distance) value += before;
    }
    return value;
  }

  // The sum of what the warps before this one have.
  template <class T>
  __device__ static T of_warps_before(const T* of_warps) {
    if (warps() <= 4) {
      return ((0 < warp() ? of_warps[0] : T{0}) + (1 < warp() ? of_warps[1] : T{0})) +
             (2 < warp() ? of_warps[2] : T{0});
    }
    T sum = lane() < warp() ? of_warps[lane()] : T{0};
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(all, sum, distance);
    return sum;
  }

  template <class Mine, class Numbers>
  __device__ static double of_parts(Mine mine, const Numbers& numbers, const Part& part) {
    __shared__ SumByUnits sum;
    add_up(mine, about_before(mine), sum);
    __syncthreads();
    if (part.count > most_about || sum.unknown > most_unknown) return by_rounded_steps(numbers, part);
    if (warp() == 0) walk(sum);
    __syncthreads();
    return sum.result;
  }

  // The sum before this thread's part, but for rounding.
  template <class Mine>
  __device__ static double about_before(const Mine& mine) {
    __shared__ double of_warps[32];
    const double up_to = up_to_lane(mine.sum());
    double before = __shfl_up_sync(all, up_to, 1);
    if (lane() == 0) before = 0;
    if (lane() == 31) of_warps[warp()] = up_to;
    __syncthreads();
    return of_warps_before(of_warps) + before;
  }

  // Lists the unknown steps, as far as there is room, and what there is of all. For all to read after the next barrier.
  template <class Mine>
  __device__ static void add_up(Mine& mine, double about, SumByUnits& sum) {
    __shared__ std::uint64_t units_of_warps[32];
    __shared__ int unknown_of_warps[32];
    std::uint64_t units = 0;
    int unknown = 0;
    double at = about;
    mine.find_steps(about, [&](const KnownStep& step, double x, double before) {
      units += step.units;
      unknown += step.is_known ? 0 : 1;
      at = before + x;
    });
    std::uint64_t units_up_to = up_to_lane(units);
    int unknown_up_to = up_to_lane(unknown);
    if (lane() == 31) {
      units_of_warps[warp()] = units_up_to;
      unknown_of_warps[warp()] = unknown_up_to;
    }
    __syncthreads();
    units_up_to += of_warps_before(units_of_warps);
    unknown_up_to += of_warps_before(unknown_of_warps);
    if (unknown > 0) {
      int place = unknown_up_to - unknown;
      std::uint64_t done = units_up_to - units;
      mine.same_steps(about, [&](const KnownStep& step, double x, double before) {
        if (!step.is_known && place < most_unknown) unknown_steps()[place++] = {done, x, before};
        done += step.units;
      });
    }
    if (threadIdx.x + 1 == blockDim.x) {
      sum.units = units_up_to;
      sum.unknown = unknown_up_to;
      sum.about = at;
    }
  }

  // Adds the listed numbers, and what lies between them, by a warp. Between two of them the sum keeps its exponent, and
  // no addition of what steps there add is rounded.
  __device__ static void walk(SumByUnits& sum) {
    __shared__ Addends addends[most_unknown + 1];
    const UnknownStep* const steps = unknown_steps();
    for (int i = lane(); i <= sum.unknown; i += 32) {
      const UnknownStep step = i < sum.unknown ? steps[i] : UnknownStep{sum.units, 0, sum.about};
      addends[i] = {of_units(step.about, step.units - (i == 0 ? 0 : steps[i - 1].units)), step.x};
    }
    __syncwarp();
    if (lane() != 0) return;
    double result = 0;
#pragma unroll 4
    for (int i = 0; i <= sum.unknown; ++i) {
      const Addends next = addends[i];
      result += next.before;
      result += next.x;
    }
    sum.result = result;
  }

  // The same by steps that are known for even and odd sums, a power of two of the sum after the other.
  template <class Numbers>
  __device__ __noinline__ static double by_rounded_steps(const Numbers& numbers, const Part& part) {
    __shared__ double sum;
    __shared__ int next;  // the first part that is not yet in the sum
    const int thread = static_cast<int>(threadIdx.x);
    // The first numbers double the sum time and again.
    const int parts = part.parts(), first_parts = min(parts, part.size < 32 ? 32 / part.size : 1);
    if (thread == 0) {
      double first = 0;
      for (std::int64_t i = 0; i < min(std::int64_t{first_parts} * part.size, std::int64_t{part.count}); ++i)
        first += numbers.at(i);
      sum = first;
      next = first_parts;
    }
    __syncthreads();
    while (next < parts) {
      const double here = sum, per_one = units_per_one(here);
      const auto units = static_cast<std::int64_t>(here * per_one);
      RoundedSteps mine;
      if (thread >= next) {
        for (std::int64_t i = part.begin; i < part.end; ++i) {
          mine = both_steps(mine, rounded_steps(numbers.at(i), per_one));
        }
      }
      const RoundedSteps before = scan_before(mine);  // after which all have read sum and next
      const std::int64_t from = after_steps(units, before), to = after_steps(from, mine);
      const bool is_last = thread == parts - 1;
      if (thread < parts && from < end_of_units && (to >= end_of_units || is_last)) {
        double result = static_cast<double>(from) / per_one;
        for (std::int64_t i = part.begin; i < part.end; ++i) result += numbers.at(i);
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

  Part part_;
};

}  // namespace papilio::lda
