#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warp/simd_exchange.h"
#include "warp/simd_lanes.h"
#include "warp/simd_register.h"
#include "warp/warp.h"

namespace papilio::inline PAPILIO_TARGET::warp {

// W lanes in as many vector registers of `bytes` bytes as their type
// needs, so that W = 32 has one shape on every target. (One vector wider
// than the machine's registers would be split badly by the compiler.)
template <int W, int bytes>
struct SimdWarp {
  static constexpr int width = W;
  static constexpr int quads_at_once = bytes == 64 ? 4 : 2;  // that fit into registers, 32 or 16 of them

#if defined(__AVX512F__)
  static constexpr bool has_mask_registers = bytes == 64;
#else
  static constexpr bool has_mask_registers = false;
#endif

  template <class T>
  using Register = typename SimdShape<W, bytes, T>::Register;
  template <class T>
  using Lanes = SimdLanes<W, bytes, T>;
  template <class T>
  using Quads = SimdQuads<W, bytes, T>;
  using Mask = std::conditional_t<has_mask_registers, SimdBits<W>, SimdFlags<W, bytes>>;

 private:
  using VectorMask = SimdFlags<W, bytes>;
  template <class T>
  static constexpr int lanes_per_register = SimdShape<W, bytes, T>::lanes_per_register;
  template <class T>
  static constexpr int registers = SimdShape<W, bytes, T>::registers;

 public:
  // --- Making lanes -------------------------------------------------------

  template <class T>
  PAPILIO_LANEWISE static Lanes<T> splat(T x) {
    return each<T>([&](int) { return x - Register<T>{}; });  // -0 stays -0
  }

  // Lane l holds f(l).
  template <class T, class F>
  PAPILIO_LANEWISE static Lanes<T> generate(F f) {
    return each<T>([&](int i) { return simd::generate<Register<T>>(f, i * lanes_per_register<T>); });
  }

  PAPILIO_LANEWISE static Lanes<std::int32_t> lane_id() {
    return each<std::int32_t>(
        [](int i) { return simd::iota<Register<std::int32_t>>() + i * lanes_per_register<std::int32_t>; });
  }

  // Lane-wise static_cast; exact between float, double and integers that fit.
  template <class To, class From>
  PAPILIO_LANEWISE static Lanes<To> convert(Lanes<From> a) {
    constexpr int to = lanes_per_register<To>, from = lanes_per_register<From>;
    Lanes<To> b;
    if constexpr (to == from) {
      PAPILIO_UNROLL
      for (int i = 0; i < registers<To>; ++i) b.reg[i] = simd::convert<Register<To>>(a.reg[i]);
    } else if constexpr (to < from) {  // widening: parts of one register become whole ones
      PAPILIO_UNROLL
      for (int i = 0; i < registers<To>; ++i)
        b.reg[i] = simd::convert<Register<To>>(part<simd::Vector<From, to>>(a.reg[i * to / from], i * to % from));
    } else {
      PAPILIO_UNROLL
      for (int i = 0; i < registers<From>; ++i) {
        const auto narrow = __builtin_convertvector(a.reg[i], simd::Vector<To, from>);
        std::memcpy(
            reinterpret_cast<char*>(&b.reg[i * from / to]) + static_cast<std::size_t>(i * from % to) * sizeof(To),
            &narrow, sizeof narrow);
      }
    }
    return b;
  }

  // The same bits as a type of the same size.
  template <class To, class From>
  PAPILIO_LANEWISE static Lanes<To> bit_cast(Lanes<From> a) {
    static_assert(sizeof(To) == sizeof(From));
    return each<To>([&](int i) { return simd::bit_cast<Register<To>>(a.reg[i]); });
  }

  // --- Comparison and choice ------------------------------------------------

  template <class T>
  PAPILIO_LANEWISE static Mask less(Lanes<T> a, Lanes<T> b) {
    if constexpr (has_mask_registers) {
      return {less_bits(a, b)};
    } else {
      return compare<T>(a, b, [](auto x, auto y) { return x < y; });
    }
  }
  template <class T>
  PAPILIO_LANEWISE static Mask equal(Lanes<T> a, Lanes<T> b) {
    if constexpr (has_mask_registers) {
      return {equal_bits(a, b)};
    } else {
      return compare<T>(a, b, [](auto x, auto y) { return x == y; });
    }
  }

  // bits(less(a, b)) and bits(equal(a, b)) without a mask between.
  template <class T>
  PAPILIO_LANEWISE static std::uint32_t less_bits(Lanes<T> a, Lanes<T> b) {
    std::uint32_t all = 0;
    PAPILIO_UNROLL
    for (int i = 0; i < registers<T>; ++i) all |= simd::less_bits(a.reg[i], b.reg[i]) << (i * lanes_per_register<T>);
    return all;
  }
  template <class T>
  PAPILIO_LANEWISE static std::uint32_t equal_bits(Lanes<T> a, Lanes<T> b) {
    std::uint32_t all = 0;
    PAPILIO_UNROLL
    for (int i = 0; i < registers<T>; ++i) all |= simd::equal_bits(a.reg[i], b.reg[i]) << (i * lanes_per_register<T>);
    return all;
  }

  // bit is 0 or a power of two below W.
  PAPILIO_LANEWISE static Mask lane_has_bit(int bit) {
    return !equal<std::int32_t>(lane_id() & bit, splat<std::int32_t>(0));
  }

  // Bit l is that of lane l.
  PAPILIO_LANEWISE static std::uint64_t bits(Mask m) {
    if constexpr (has_mask_registers) {
      return m.bits;
    } else {
      std::uint64_t all = 0;
      PAPILIO_UNROLL
      for (int i = 0; i < registers<std::int32_t>; ++i)
        all |= std::uint64_t{simd::movemask(m.reg[i])} << (i * lanes_per_register<std::int32_t>);
      return all;
    }
  }

  template <class T>
  PAPILIO_LANEWISE static Lanes<T> select(Mask m, Lanes<T> a, Lanes<T> b) {
    if constexpr (has_mask_registers) {
      return each<T>([&](int i) { return simd::blend(m.bits >> (i * lanes_per_register<T>), a.reg[i], b.reg[i]); });
    } else if constexpr (sizeof(T) == 4) {
      return each<T>([&](int i) { return m.reg[i] ? a.reg[i] : b.reg[i]; });
    } else {
      const auto wide = widen_mask(m);
      return each<T>([&](int i) { return wide.reg[i] ? a.reg[i] : b.reg[i]; });
    }
  }

  // --- Arithmetic -------------------------------------------------------------

  // x * y + c, rounded once.
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> fma(Lanes<T> x, Lanes<T> y, Lanes<T> c) {
    return each<T>([&](int i) { return simd::fma(x.reg[i], y.reg[i], c.reg[i]); });
  }
  template <class T>
  PAPILIO_LANEWISE static Quads<T> fma(Quads<T> x, Quads<T> y, Quads<T> c) {
    PAPILIO_UNROLL
    for (int i = 0; i < 4 * registers<T>; ++i) c.reg[i] = simd::fma(x.reg[i], y.reg[i], c.reg[i]);
    return c;
  }

  // --- Exchange between lanes -------------------------------------------------

  // Lane l receives lane l ^ bits; bits is a power of two below W.
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> shuffle_xor(Lanes<T> a, int bits) {
    constexpr int n = lanes_per_register<T>;
    return each<T>([&](int i) { return simd::exchange(a.reg[i ^ (bits / n)], bits % n); });
  }

  // Lane l receives lane `from[l]`.
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> shuffle(Lanes<T> a, Lanes<std::int32_t> from) {
    if constexpr (registers<T> == 1 && registers<std::int32_t> == 1) {
      return each<T>([&](int i) { return simd::permute(a.reg[i], from.reg[i]); });
    } else {
      T all[W];
      store(all, a);
      return gather(all, from);
    }
  }

  // Lane l receives the value of `before` (the same in every lane) plus lanes 0 ... l, added in this function's own
  // order. Then all lanes are added to `before`.
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> running_sums(Lanes<T> a, Register<T>& before) {
    PAPILIO_UNROLL
    for (int i = 0; i < registers<T>; ++i) {
      const Register<T> sums = simd::running_sums(a.reg[i]);
      a.reg[i] = sums + before;
      before = before + simd::last_everywhere(sums);
    }
    return a;
  }

  // --- Memory -------------------------------------------------------------------

  template <class T>
  PAPILIO_LANEWISE static Lanes<T> load(const T* p) {
    return each<T>([&](int i) { return simd::load<Register<T>>(p + i * lanes_per_register<T>); });
  }
  // Register by register: GCC would copy all at once through the stack, in parts that a later load has to wait for.
  template <class T>
  PAPILIO_LANEWISE static void store(T* p, Lanes<T> a) {
    PAPILIO_UNROLL
    for (int i = 0; i < registers<T>; ++i) std::memcpy(p + i * lanes_per_register<T>, &a.reg[i], sizeof(Register<T>));
  }
  // Lane l receives p[index[l]].
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> gather(const T* p, Lanes<std::int32_t> index) {
    constexpr int n = lanes_per_register<T>, m = lanes_per_register<std::int32_t>;
    return each<T>([&](int i) {
      return simd::gather<Register<T>>(p, part<simd::Vector<std::int32_t, n>>(index.reg[i * n / m], i * n % m));
    });
  }
  // The first `count` values at p, zeros after them; reads no other byte.
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> load(const T* p, std::int64_t count) {
    return each<T>([&](int i) {
      return simd::load_partial<Register<T>>(p + i * lanes_per_register<T>, count - i * lanes_per_register<T>);
    });
  }

  // --- Quads: four neighbours per lane --------------------------------------------

  template <class T>
  PAPILIO_LANEWISE static Quads<T> zero_quads() {
    return Quads<T>{};
  }
  template <class T>
  PAPILIO_LANEWISE static Quads<T> load_quads(const T* p) {
    Quads<T> q;
    PAPILIO_UNROLL
    for (int i = 0; i < 4 * registers<T>; ++i) q.reg[i] = simd::load<Register<T>>(p + i * lanes_per_register<T>);
    return q;
  }
  // The first `count` values at p, zeros after them; reads no other byte.
  template <class T>
  PAPILIO_LANEWISE static Quads<T> load_quads(const T* p, std::int64_t count) {
    Quads<T> q;
    PAPILIO_UNROLL
    for (int i = 0; i < 4 * registers<T>; ++i)
      q.reg[i] = simd::load_partial<Register<T>>(p + i * lanes_per_register<T>, count - i * lanes_per_register<T>);
    return q;
  }

  // (s0 + s1) + (s2 + s3) of each lane's four.
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> lane_sums(Quads<T> q) {
    Lanes<T> sums;
    PAPILIO_UNROLL
    for (int i = 0; i < registers<T>; ++i)
      sums.reg[i] = simd::add_pairs(simd::add_pairs(q.reg[4 * i], q.reg[4 * i + 1]),
                                    simd::add_pairs(q.reg[4 * i + 2], q.reg[4 * i + 3]));
    return sums;
  }

  // Lane l's four neighbours at rows[l] + offset[l]; element[e] is neighbour e of every
  // lane. A neighbour whose place, offset[l] + e, is not below size[l] is 0 and is not read.
  template <class T>
  PAPILIO_LANEWISE static void gather_quads(const T* const* rows, Lanes<std::int32_t> offset, Lanes<std::int32_t> size,
                                            Lanes<T> (&element)[4]) {
    std::int32_t at[W], end[W];
    store(at, offset);
    store(end, size);
    alignas(bytes) T quad[W][4];
    for (int l = 0; l < W; ++l) {
      if (at[l] + 4 <= end[l]) [[likely]]
        std::memcpy(quad[l], rows[l] + at[l], sizeof quad[l]);
      else
        for (int e = 0; e < 4; ++e) quad[l][e] = at[l] + e < end[l] ? rows[l][at[l] + e] : T{0};
    }
    transpose_quads(quad, element);
  }

  // --- Signs ------------------------------------------------------------------------

  // Collects the sign bits of many values, in several registers, so that dependency chains stay short.
  template <class T>
  struct Signs {
    using Bits = simd::Vector<std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>, lanes_per_register<T>>;
    Bits reg[4];
  };
  template <class T>
  PAPILIO_LANEWISE static void collect_signs(Signs<T>& signs, Quads<T>& x) {
    using Bits = typename Signs<T>::Bits;
    PAPILIO_UNROLL
    for (int i = 0; i < 4 * registers<T>; ++i) simd::hold(x.reg[i]), signs.reg[i % 4] |= simd::bit_cast<Bits>(x.reg[i]);
  }
  // The signs of the products x * y.
  template <class T>
  PAPILIO_LANEWISE static void collect_signs(Signs<T>& signs, Quads<T>& x, Quads<T>& y) {
    using Bits = typename Signs<T>::Bits;
    PAPILIO_UNROLL
    for (int i = 0; i < 4 * registers<T>; ++i) {
      simd::hold(x.reg[i]), simd::hold(y.reg[i]);
      signs.reg[i % 4] = simd::or_xor(signs.reg[i % 4], simd::bit_cast<Bits>(x.reg[i]), simd::bit_cast<Bits>(y.reg[i]));
    }
  }
  // Whether a sign bit was among them (that of -0 counts).
  template <class T>
  PAPILIO_LANEWISE static bool any_sign(const Signs<T>& signs) {
    return simd::movemask((signs.reg[0] | signs.reg[1]) | (signs.reg[2] | signs.reg[3])) != 0;
  }

  // Prefetches the cache line of p; p may be any address.
  PAPILIO_LANEWISE static void prefetch(const void* p) { __builtin_prefetch(p); }

  // Lanes of one thread see each other's stores.
  PAPILIO_LANEWISE static void sync() {}

  // f(l, a[l]) for every lane l.
  template <class T, class F>
  PAPILIO_LANEWISE static void for_each_lane(Lanes<T> a, F f) {
    T all[W];
    store(all, a);
    for (int l = 0; l < W; ++l) f(l, all[l]);
  }

 private:
  template <class T, class F>
  PAPILIO_LANEWISE static Lanes<T> each(F f) {
    Lanes<T> a;
    PAPILIO_UNROLL
    for (int i = 0; i < registers<T>; ++i) a.reg[i] = f(i);
    return a;
  }

  // Elements first ... of v as a shorter vector.
  template <class Part, class V>
  PAPILIO_LANEWISE static Part part(const V& v, int first) {
    Part p;
    std::memcpy(&p, reinterpret_cast<const char*>(&v) + static_cast<std::size_t>(first) * sizeof(v[0]), sizeof p);
    return p;
  }

  struct WideMask {
    Register<std::int64_t> reg[registers<std::int64_t>];
  };
  PAPILIO_LANEWISE static WideMask widen_mask(VectorMask m) {
    constexpr int narrow = lanes_per_register<std::int32_t>, wide = lanes_per_register<std::int64_t>;
    WideMask w;
    PAPILIO_UNROLL
    for (int i = 0; i < registers<std::int64_t>; ++i) {
      if constexpr (narrow == 2 * wide)
        w.reg[i] = simd::bit_cast<Register<std::int64_t>>(simd::twice(m.reg[i / 2], i % 2));
      else
        w.reg[i] = __builtin_convertvector(m.reg[i], Register<std::int64_t>);
    }
    return w;
  }

  template <class T, class F>
  PAPILIO_LANEWISE static VectorMask compare(Lanes<T> a, Lanes<T> b, F f) {
    constexpr int n = lanes_per_register<T>, m = lanes_per_register<std::int32_t>;
    VectorMask mask;
    PAPILIO_UNROLL
    for (int i = 0; i < registers<std::int32_t>; ++i) {
      using Narrow = Register<std::int32_t>;
      if constexpr (sizeof(T) == 8 && m == 2 * n)
        mask.reg[i] = simd::every_other<0>(simd::bit_cast<Narrow>(f(a.reg[2 * i], b.reg[2 * i])),
                                           simd::bit_cast<Narrow>(f(a.reg[2 * i + 1], b.reg[2 * i + 1])),
                                           std::make_integer_sequence<int, m>{});
      else
        mask.reg[i] = __builtin_convertvector(f(a.reg[i], b.reg[i]), Narrow);
    }
    return mask;
  }

  // Column e of W rows of four becomes the lanes of element[e].
  template <class T>
  PAPILIO_LANEWISE static void transpose_quads(const T (&quad)[W][4], Lanes<T> (&element)[4]) {
    PAPILIO_UNROLL
    for (int i = 0; i < registers<T>; ++i) {
      constexpr int n = lanes_per_register<T>;
      Register<T> row[4];
      PAPILIO_UNROLL
      for (int e = 0; e < 4; ++e) row[e] = simd::load<Register<T>>(&quad[i * n][0] + e * n);
      simd::deinterleave(row);
      PAPILIO_UNROLL
      for (int e = 0; e < 4; ++e) element[e].reg[i] = row[e];
    }
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::warp
