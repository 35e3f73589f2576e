#pragma once

#include <cstdint>
#include <type_traits>

#include "warp/portability.h"
#include "warp/simd_register.h"

namespace papilio::inline PAPILIO_TARGET::warp {

// The registers, of `bytes` bytes each, that hold one T per lane of a warp of W lanes.
template <int W, int bytes, class T>
struct SimdShape {
  static constexpr int lanes_per_register = simd::fitting_lanes(W, bytes, sizeof(T));
  static constexpr int registers = W / lanes_per_register;
  using Register = simd::Vector<T, lanes_per_register>;
};

// One T per lane.
template <int W, int bytes, class T>
struct SimdLanes {
  using Shape = SimdShape<W, bytes, T>;
  static constexpr int registers = Shape::registers;
  typename Shape::Register reg[registers];

#define PAPILIO_OPERATOR(op)                                                \
  friend PAPILIO_LANEWISE SimdLanes operator op(SimdLanes a, SimdLanes b) { \
    PAPILIO_UNROLL                                                          \
    for (int i = 0; i < registers; ++i) a.reg[i] = a.reg[i] op b.reg[i];    \
    return a;                                                               \
  }                                                                         \
  friend PAPILIO_LANEWISE SimdLanes operator op(SimdLanes a, T b) {         \
    PAPILIO_UNROLL                                                          \
    for (int i = 0; i < registers; ++i) a.reg[i] = a.reg[i] op b;           \
    return a;                                                               \
  }
  PAPILIO_OPERATOR(+)
  PAPILIO_OPERATOR(-)
  PAPILIO_OPERATOR(*)
  PAPILIO_OPERATOR(&)
  PAPILIO_OPERATOR(|)
  PAPILIO_OPERATOR(^)
  PAPILIO_OPERATOR(<<)
  PAPILIO_OPERATOR(>>)
#undef PAPILIO_OPERATOR

  struct Product {
    SimdLanes high, low;
  };
  // The 64-bit products of unsigned lanes and a constant, as their halves.
  friend PAPILIO_LANEWISE Product multiply_wide(SimdLanes a, T b) requires std::is_same_v<T, std::uint32_t> {
    Product p;
    PAPILIO_UNROLL
    for (int i = 0; i < registers; ++i) simd::multiply_wide(a.reg[i], b, p.high.reg[i], p.low.reg[i]);
    return p;
  }
};

// Lane l holds four neighbours; the registers hold all of them in memory order.
template <int W, int bytes, class T>
struct SimdQuads {
  using Shape = SimdShape<W, bytes, T>;
  static constexpr int registers = 4 * Shape::registers;
  typename Shape::Register reg[registers];

  friend PAPILIO_LANEWISE SimdQuads operator+(SimdQuads a, SimdQuads b) {
    PAPILIO_UNROLL
    for (int i = 0; i < registers; ++i) a.reg[i] += b.reg[i];
    return a;
  }
};

// A mask of one bit per lane, for machines with mask registers.
template <int W>
struct SimdBits {
  std::uint32_t bits;

  friend PAPILIO_LANEWISE SimdBits operator&(SimdBits a, SimdBits b) { return {a.bits & b.bits}; }
  friend PAPILIO_LANEWISE SimdBits operator|(SimdBits a, SimdBits b) { return {a.bits | b.bits}; }
  friend PAPILIO_LANEWISE SimdBits operator!(SimdBits a) {
    return {~a.bits & static_cast<std::uint32_t>((std::uint64_t{1} << W) - 1)};
  }
};

// A mask of an int32 per lane, 0 or -1, for machines without.
template <int W, int bytes>
struct SimdFlags {
  using Shape = SimdShape<W, bytes, std::int32_t>;
  static constexpr int registers = Shape::registers;
  typename Shape::Register reg[registers];

  template <class F>
  PAPILIO_LANEWISE static SimdFlags each(F f) {
    SimdFlags m;
    PAPILIO_UNROLL
    for (int i = 0; i < registers; ++i) m.reg[i] = f(i);
    return m;
  }
  friend PAPILIO_LANEWISE SimdFlags operator&(SimdFlags a, SimdFlags b) {
    return each([&](int i) { return a.reg[i] & b.reg[i]; });
  }
  friend PAPILIO_LANEWISE SimdFlags operator|(SimdFlags a, SimdFlags b) {
    return each([&](int i) { return a.reg[i] | b.reg[i]; });
  }
  friend PAPILIO_LANEWISE SimdFlags operator!(SimdFlags a) {
    return each([&](int i) { return ~a.reg[i]; });
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::warp
