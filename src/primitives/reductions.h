#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "papilio/primitives.h"
#include "primitives/kernels.h"
#include "primitives/operators.h"

// What the CPU's reductions and scans need from each operator. A Carry is the exact result of the values so far, so
// parts of a segment may be joined in any grouping:
//
//   void clear(Carry&)                                  no values
//   void add(const T* values, count, Carry&)            more values
//   void join(Carry&, const Carry& more)                the values of the second follow
//   bool result(const Carry&, T&)                       false if it does not fit T
//   int64 reduce(const Segments<T>&)                    whole segments; the first that does not fit, or count
//   int64 scan(const ScanBlock<T>&, Carry&)             a block; the first that does not fit, or count

namespace papilio::primitives {

// Sums of float or double.
template <class T>
struct FloatSums {
  using Value = T;
  using Carry = LongSum<T>;
  static void clear(Carry& carry) { carry.clear(); }
  static void add(const T* values, std::int64_t count, Carry& carry) { exact_sums<T>().add(values, count, carry); }
  static void join(Carry& carry, const Carry& more) { carry.add(more); }
  static bool result(const Carry& carry, T& value) {
    value = carry.value();
    return true;
  }
  static std::int64_t reduce(const Segments<T>& segments) {
    exact_sums<T>().sum_segments(segments);
    return segments.count;
  }
  static std::int64_t scan(const ScanBlock<T>& block, Carry& carry) {
    exact_sums<T>().scan(block, carry);
    return block.count;
  }
};

// Sums of int32 or int64, in 128 bits.
template <class T>
struct IntegerSums {
  using Value = T;
  using Carry = Int128;
  static void clear(Carry& carry) { carry = 0; }

  static void add(const T* values, std::int64_t count, Carry& carry) {
    constexpr std::int64_t chunk = std::int64_t{1} << 30;
    for (std::int64_t begin = 0; begin < count; begin += chunk) {
      const std::int64_t end = std::min(count, begin + chunk);
      if constexpr (sizeof(T) == sizeof(std::int32_t)) {
        std::int64_t sum = 0;
        for (std::int64_t i = begin; i < end; ++i) sum += values[i];
        carry += sum;
      } else {
        std::int64_t high = 0;
        std::uint64_t low = 0;
        for (std::int64_t i = begin; i < end; ++i) {
          high += values[i] >> 32;
          low += static_cast<std::uint32_t>(values[i]);
        }
        carry += (static_cast<Int128>(high) * (std::int64_t{1} << 32)) + static_cast<Int128>(low);
      }
    }
  }

  static void join(Carry& carry, const Carry& more) { carry += more; }
  static bool result(const Carry& carry, T& value) {
    value = static_cast<T>(carry);
    return value == carry;
  }

  static std::int64_t reduce(const Segments<T>& segments) {
    for (std::int64_t s = 0; s < segments.count; ++s) {
      Carry sum = 0;
      add(segments.values + segments.offsets[s], segments.offsets[s + 1] - segments.offsets[s], sum);
      if (!result(sum, segments.sums[s])) return s;
    }
    return segments.count;
  }

  static std::int64_t scan(const ScanBlock<T>& block, Carry& carry) {
    for (int i = 0; i < block.count; ++i) {
      const T value = block.values[i];
      if (block.starts != nullptr && block.starts[i] != 0) carry = 0;
      const Carry before = carry;
      carry += value;
      if (!result(block.exclusive ? before : carry, block.out[i])) return i;
    }
    return block.count;
  }
};

// The other operators: a Carry is a value.
template <class T, class Operator>
struct Folds {
  using Value = T;
  using Carry = T;
  static void clear(Carry& carry) { carry = Operator::template neutral<T>(); }

  static void add(const T* values, std::int64_t count, Carry& carry) {
    if constexpr (std::is_integral_v<T>) {
      T folded = carry;
      for (std::int64_t i = 0; i < count; ++i) folded = Operator()(folded, values[i]);
      carry = folded;
    } else {
      add_ordered(values, count, carry);
    }
  }

  static void join(Carry& carry, const Carry& more) { carry = Operator()(carry, more); }
  static bool result(const Carry& carry, T& value) {
    value = carry;
    return true;
  }

  static std::int64_t reduce(const Segments<T>& segments) {
    for (std::int64_t s = 0; s < segments.count; ++s) {
      Carry folded;
      clear(folded);
      add(segments.values + segments.offsets[s], segments.offsets[s + 1] - segments.offsets[s], folded);
      segments.sums[s] = folded;
    }
    return segments.count;
  }

  static std::int64_t scan(const ScanBlock<T>& block, Carry& carry) {
    for (int i = 0; i < block.count; ++i) {
      const T value = block.values[i];
      if (block.starts != nullptr && block.starts[i] != 0) clear(carry);
      const T before = carry;
      carry = Operator()(carry, value);
      block.out[i] = block.exclusive ? before : carry;
    }
    return block.count;
  }

 private:
  // Minimum or maximum of floats, computed with integers in the same order, so
  // that compilers can use vector instructions. NaN lies beyond the infinities.
  static void add_ordered(const T* values, std::int64_t count, Carry& carry) {
    using Key = std::make_signed_t<BitsOf<T>>;
    constexpr auto most = static_cast<Key>(FloatFormat<T>::infinity);
    constexpr Key below_sign = std::numeric_limits<Key>::max();
    Key least = std::numeric_limits<Key>::max(), greatest = std::numeric_limits<Key>::min();
    for (std::int64_t i = 0; i < count; ++i) {
      const Key bits = std::bit_cast<Key>(values[i]);
      const Key key = bits < 0 ? bits ^ below_sign : bits;
      least = key < least ? key : least;
      greatest = key > greatest ? key : greatest;
    }
    if (count <= 0) return;
    const Key key = std::is_same_v<Operator, Minimum> ? least : greatest;
    const bool has_nan =
        greatest > most || least < (std::bit_cast<Key>(-std::numeric_limits<T>::infinity()) ^ below_sign);
    const T found = std::bit_cast<T>(key < 0 ? key ^ below_sign : key);
    carry = Operator()(carry, has_nan ? canonical_nan<T>() : found);
  }
};

// Calls body(reduction) with the reduction of an operator that takes T.
template <class T, class Body>
void with_reduction(ReduceOp op, Body&& body) {
  switch (op) {
    case ReduceOp::minimum:
      return body(Folds<T, Minimum>());
    case ReduceOp::maximum:
      return body(Folds<T, Maximum>());
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case ReduceOp::bit_and:
        return body(Folds<T, BitAnd>());
      case ReduceOp::bit_or:
        return body(Folds<T, BitOr>());
      case ReduceOp::bit_xor:
        return body(Folds<T, BitXor>());
      default:
        return body(IntegerSums<T>());
    }
  } else {
    body(FloatSums<T>());
  }
}

}  // namespace papilio::primitives
