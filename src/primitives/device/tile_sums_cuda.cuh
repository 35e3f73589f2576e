#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "papilio/primitives.h"
#include "primitives/device/float_window.h"
#include "primitives/device/look_back_cuda.cuh"

// What the tiles of a scan or reduction need from each operator: how values become sums, how sums are joined,
// what a record of one is, and how results come from it. Records of sums of floats are in float_records_cuda.cuh.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

using primitives::FloatFormat;
using primitives::Int128;

// Sums of int32 in 64 bits.
struct Int32Sums {
  using Value = std::int32_t;
  using Sum = std::int64_t;
  static constexpr bool of_floats = false;
  static constexpr int words = 1;

  __device__ Sum neutral() const { return 0; }
  __device__ Value neutral_value() const { return 0; }
  __device__ Sum from(Value value) const { return value; }
  __device__ Sum joined(Sum a, Sum b) const { return a + b; }
  __device__ bool fits(Sum sum) const { return sum == static_cast<Value>(sum); }
  __device__ Value to(Sum sum) const { return static_cast<Value>(sum); }

  __device__ RecordLanes<words> record(Sum sum) const { return {{static_cast<std::uint64_t>(sum)}}; }
  __device__ Sum sum_of(const RecordLanes<words>& record) const { return static_cast<Sum>(record.word[0]); }
  __device__ std::uint64_t joined_words(std::uint64_t a, std::uint64_t b, int) const { return a + b; }
};

// Sums of int64 in 128 bits. A record has three digits, of 32, 32 and 64 bits, which add without carries.
struct Int64Sums {
  using Value = std::int64_t;
  using Sum = Int128;
  static constexpr bool of_floats = false;
  static constexpr int words = 3;

  __device__ Sum neutral() const { return 0; }
  __device__ Value neutral_value() const { return 0; }
  __device__ Sum from(Value value) const { return value; }
  __device__ Sum joined(Sum a, Sum b) const { return a + b; }
  __device__ bool fits(Sum sum) const { return sum == static_cast<Value>(sum); }
  __device__ Value to(Sum sum) const { return static_cast<Value>(sum); }

  __device__ RecordLanes<words> record(Sum sum) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const auto digit = static_cast<std::uint64_t>(sum >> (32 * (lane < 2 ? lane : 2)));
    return {{lane < 2 ? digit & 0xFFFF'FFFFu : digit}};
  }
  __device__ Sum sum_of(const RecordLanes<words>& record) const {
    const auto digit = [&](int lane) {
      return static_cast<Int128>(static_cast<std::int64_t>(__shfl_sync(every_lane, record.word[0], lane)));
    };
    const Int128 low = digit(0), middle = digit(1), high = digit(2);
    return low + (middle << 32) + (high << 64);
  }
  __device__ std::uint64_t joined_words(std::uint64_t a, std::uint64_t b, int) const { return a + b; }
};

// Minimum, maximum and the operators on bits, in 64 bits for every type.
// Floats become integers in the same order, with NaN beyond the infinities.
template <class T>
struct Folds {
  using Value = T;
  using Sum = std::int64_t;
  static constexpr bool of_floats = false;
  static constexpr int words = 1;

  ReduceOp op;

  __device__ Value neutral_value() const {
    if constexpr (std::is_integral_v<T>) {
      return op == ReduceOp::minimum   ? std::numeric_limits<T>::max()
             : op == ReduceOp::maximum ? std::numeric_limits<T>::min()
             : op == ReduceOp::bit_and ? static_cast<T>(-1)
                                       : T{0};
    } else {
      constexpr T infinity = std::numeric_limits<T>::infinity();
      return op == ReduceOp::minimum ? infinity : -infinity;
    }
  }
  __device__ Sum neutral() const { return from(neutral_value()); }

  __device__ Sum from(Value value) const {
    if constexpr (std::is_integral_v<T>) {
      return value;
    } else {
      if (primitives::is_nan(value)) return nan_key();
      const auto bits = std::bit_cast<Key>(value);
      return bits < 0 ? bits ^ std::numeric_limits<Key>::max() : bits;
    }
  }
  __device__ Value to(Sum sum) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(sum);
    } else {
      const auto key = static_cast<Key>(sum);
      if (key == nan_key()) return primitives::canonical_nan<T>();
      return std::bit_cast<T>(static_cast<Key>(key < 0 ? key ^ std::numeric_limits<Key>::max() : key));
    }
  }
  __device__ bool fits(Sum) const { return true; }

  __device__ Sum joined(Sum a, Sum b) const {
    switch (op) {
      case ReduceOp::minimum:
        return a < b ? a : b;
      case ReduceOp::maximum:
        return a > b ? a : b;
      case ReduceOp::bit_and:
        return a & b;
      case ReduceOp::bit_or:
        return a | b;
      default:
        return a ^ b;
    }
  }

  __device__ RecordLanes<words> record(Sum sum) const { return {{static_cast<std::uint64_t>(sum)}}; }
  __device__ Sum sum_of(const RecordLanes<words>& record) const { return static_cast<Sum>(record.word[0]); }
  __device__ std::uint64_t joined_words(std::uint64_t a, std::uint64_t b, int) const {
    return static_cast<std::uint64_t>(joined(static_cast<Sum>(a), static_cast<Sum>(b)));
  }

 private:
  using Key = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  __device__ Key nan_key() const {
    return op == ReduceOp::minimum ? std::numeric_limits<Key>::min() : std::numeric_limits<Key>::max();
  }
};

// Exact sums of float or double. A record has the digits of a LongSum and a word with the special values seen.
template <class T>
struct FloatSums {
  using Value = T;
  using Sum = typename primitives::Window<T>::Integer;
  static constexpr bool of_floats = true;
  static constexpr int digits = primitives::sum_digits<T>;
  static constexpr int words = digits + 1;
  static constexpr bool packed = sizeof(T) == 4;  // or one PackedSum, which nearly always has room

  __device__ Sum neutral() const { return 0; }
  __device__ Value neutral_value() const { return 0; }
  __device__ Sum joined(Sum a, Sum b) const { return a + b; }
  __device__ std::uint64_t joined_words(std::uint64_t a, std::uint64_t b, int word) const {
    return word == digits ? a | b : a + b;
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
