#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "primitives/exact_sum.h"

// The operators of ReduceOp, for CPU and GPU alike: associative and commutative to the bit, each with its
// neutral element. Sum is for integers, modulo 2^32 or 2^64; whoever uses it finds overflow by other means.

namespace papilio::primitives {

struct Sum {
  template <std::integral T>
  PAPILIO_LANEWISE T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  }
  template <class T>
  PAPILIO_LANEWISE static constexpr T neutral() {
    return T{0};
  }
};

// Whether a is before b, where -0 is before +0. Neither is NaN.
template <class T>
PAPILIO_LANEWISE bool is_below(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a < b || (a == b && (bits_of(a) & ~bits_of(b) & FloatFormat<T>::sign) != 0);
  } else {
    return a < b;
  }
}

// a, unless b is further. For floats, a NaN in a stays as it is, and a NaN in b gives the canonical one.
template <class T>
PAPILIO_LANEWISE T least_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (is_nan(a)) return a;
    if (is_nan(b)) return canonical_nan<T>();
  }
  return is_below(b, a) ? b : a;
}
template <class T>
PAPILIO_LANEWISE T greatest_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (is_nan(a)) return a;
    if (is_nan(b)) return canonical_nan<T>();
  }
  return is_below(a, b) ? b : a;
}

struct Minimum {
  template <class T>
  PAPILIO_LANEWISE T operator()(T a, T b) const {
    return least_of(a, b);
  }
  template <class T>
  PAPILIO_LANEWISE static constexpr T neutral() {
    return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
};

struct Maximum {
  template <class T>
  PAPILIO_LANEWISE T operator()(T a, T b) const {
    return greatest_of(a, b);
  }
  template <class T>
  PAPILIO_LANEWISE static constexpr T neutral() {
    return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  }
};

struct BitAnd {
  template <std::integral T>
  PAPILIO_LANEWISE T operator()(T a, T b) const {
    return a & b;
  }
  template <class T>
  PAPILIO_LANEWISE static constexpr T neutral() {
    return static_cast<T>(~T{0});
  }
};

struct BitOr {
  template <std::integral T>
  PAPILIO_LANEWISE T operator()(T a, T b) const {
    return a | b;
  }
  template <class T>
  PAPILIO_LANEWISE static constexpr T neutral() {
    return T{0};
  }
};

struct BitXor {
  template <std::integral T>
  PAPILIO_LANEWISE T operator()(T a, T b) const {
    return a ^ b;
  }
  template <class T>
  PAPILIO_LANEWISE static constexpr T neutral() {
    return T{0};
  }
};

}  // namespace papilio::primitives
