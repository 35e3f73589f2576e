#pragma once

#include <cstdint>
#include <type_traits>

#include "warp/warp.h"

namespace papilio::inline PAPILIO_TARGET::warp {

// The reference: lanes are arrays of W values, and each operation is written as the plain loop that defines it.
template <int W>
struct ScalarWarp {
  static constexpr int width = W;
  static constexpr int quads_at_once = 2;

  template <class T>
  struct Lanes {
    T at[W];

#define PAPILIO_OPERATOR(op)                                    \
  friend PAPILIO_LANEWISE Lanes operator op(Lanes a, Lanes b) { \
    for (int l = 0; l < W; ++l) a.at[l] = a.at[l] op b.at[l];   \
    return a;                                                   \
  }                                                             \
  friend PAPILIO_LANEWISE Lanes operator op(Lanes a, T b) {     \
    for (int l = 0; l < W; ++l) a.at[l] = a.at[l] op b;         \
    return a;                                                   \
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
      Lanes high, low;
    };
    friend PAPILIO_LANEWISE Product multiply_wide(Lanes a, T b) requires std::is_same_v<T, std::uint32_t> {
      Product p;
      for (int l = 0; l < W; ++l) {
        const std::uint64_t product = std::uint64_t{a.at[l]} * b;
        p.high.at[l] = static_cast<std::uint32_t>(product >> 32);
        p.low.at[l] = static_cast<std::uint32_t>(product);
      }
      return p;
    }
  };

  template <class T>
  struct Quads {
    T at[W][4];
    friend PAPILIO_LANEWISE Quads operator+(Quads a, Quads b) {
      for (int l = 0; l < W; ++l)
        for (int e = 0; e < 4; ++e) a.at[l][e] = a.at[l][e] + b.at[l][e];
      return a;
    }
  };

  struct Mask {
    bool at[W];
    friend PAPILIO_LANEWISE Mask operator&(Mask a, Mask b) {
      for (int l = 0; l < W; ++l) a.at[l] = a.at[l] && b.at[l];
      return a;
    }
    friend PAPILIO_LANEWISE Mask operator|(Mask a, Mask b) {
      for (int l = 0; l < W; ++l) a.at[l] = a.at[l] || b.at[l];
      return a;
    }
    friend PAPILIO_LANEWISE Mask operator!(Mask a) {
      for (int l = 0; l < W; ++l) a.at[l] = !a.at[l];
      return a;
    }
  };

  template <class T>
  PAPILIO_LANEWISE static Lanes<T> splat(T x) {
    return each<T>([&](int) { return x; });
  }
  PAPILIO_LANEWISE static Lanes<std::int32_t> lane_id() {
    return each<std::int32_t>([](int l) { return l; });
  }
  template <class To, class From>
  PAPILIO_LANEWISE static Lanes<To> convert(Lanes<From> a) {
    return each<To>([&](int l) { return static_cast<To>(a.at[l]); });
  }
  template <class To, class From>
  PAPILIO_LANEWISE static Lanes<To> bit_cast(Lanes<From> a) {
    return each<To>([&](int l) { return __builtin_bit_cast(To, a.at[l]); });
  }

  template <class T>
  PAPILIO_LANEWISE static Mask less(Lanes<T> a, Lanes<T> b) {
    return mask([&](int l) { return a.at[l] < b.at[l]; });
  }
  template <class T>
  PAPILIO_LANEWISE static Mask equal(Lanes<T> a, Lanes<T> b) {
    return mask([&](int l) { return a.at[l] == b.at[l]; });
  }
  PAPILIO_LANEWISE static Mask lane_has_bit(int bit) {
    return mask([&](int l) { return (l & bit) != 0; });
  }
  PAPILIO_LANEWISE static std::uint64_t bits(Mask m) {
    std::uint64_t all = 0;
    for (int l = 0; l < W; ++l) all |= std::uint64_t{m.at[l]} << l;
    return all;
  }
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> select(Mask m, Lanes<T> a, Lanes<T> b) {
    return each<T>([&](int l) { return m.at[l] ? a.at[l] : b.at[l]; });
  }

  template <class T>
  PAPILIO_LANEWISE static Lanes<T> fma(Lanes<T> x, Lanes<T> y, Lanes<T> c) {
    return each<T>([&](int l) { return fma(x.at[l], y.at[l], c.at[l]); });
  }
  template <class T>
  PAPILIO_LANEWISE static Quads<T> fma(Quads<T> x, Quads<T> y, Quads<T> c) {
    return quads<T>([&](int l, int e) { return fma(x.at[l][e], y.at[l][e], c.at[l][e]); });
  }

  template <class T>
  PAPILIO_LANEWISE static Lanes<T> shuffle_xor(Lanes<T> a, int bits) {
    return each<T>([&](int l) { return a.at[l ^ bits]; });
  }
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> shuffle(Lanes<T> a, Lanes<std::int32_t> from) {
    return each<T>([&](int l) { return a.at[from.at[l]]; });
  }

  template <class T>
  PAPILIO_LANEWISE static Lanes<T> load(const T* p) {
    return each<T>([&](int l) { return p[l]; });
  }
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> load(const T* p, std::int64_t count) {
    return each<T>([&](int l) { return l < count ? p[l] : T{0}; });
  }
  template <class T>
  PAPILIO_LANEWISE static void store(T* p, Lanes<T> a) {
    for (int l = 0; l < W; ++l) p[l] = a.at[l];
  }
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> gather(const T* p, Lanes<std::int32_t> index) {
    return each<T>([&](int l) { return p[index.at[l]]; });
  }

  template <class T>
  PAPILIO_LANEWISE static Quads<T> zero_quads() {
    return quads<T>([](int, int) { return T{0}; });
  }
  template <class T>
  PAPILIO_LANEWISE static Quads<T> load_quads(const T* p) {
    return quads<T>([&](int l, int e) { return p[4 * l + e]; });
  }
  template <class T>
  PAPILIO_LANEWISE static Quads<T> load_quads(const T* p, std::int64_t count) {
    return quads<T>([&](int l, int e) { return 4 * l + e < count ? p[4 * l + e] : T{0}; });
  }
  template <class T>
  PAPILIO_LANEWISE static Lanes<T> lane_sums(Quads<T> q) {
    return each<T>([&](int l) { return (q.at[l][0] + q.at[l][1]) + (q.at[l][2] + q.at[l][3]); });
  }
  template <class T>
  PAPILIO_LANEWISE static void gather_quads(const T* const* rows, Lanes<std::int32_t> offset, Lanes<std::int32_t> size,
                                            Lanes<T> (&element)[4]) {
    for (int e = 0; e < 4; ++e)
      element[e] = each<T>([&](int l) { return offset.at[l] + e < size.at[l] ? rows[l][offset.at[l] + e] : T{0}; });
  }

  template <class T>
  struct Signs {
    bool any = false;
  };
  template <class T>
  PAPILIO_LANEWISE static void collect_signs(Signs<T>& signs, const Quads<T>& x) {
    for (int l = 0; l < W; ++l)
      for (int e = 0; e < 4; ++e) signs.any |= __builtin_signbit(x.at[l][e]) != 0;
  }
  template <class T>
  PAPILIO_LANEWISE static void collect_signs(Signs<T>& signs, const Quads<T>& x, const Quads<T>& y) {
    for (int l = 0; l < W; ++l)
      for (int e = 0; e < 4; ++e)
        signs.any |= (__builtin_signbit(x.at[l][e]) != 0) != (__builtin_signbit(y.at[l][e]) != 0);
  }
  template <class T>
  PAPILIO_LANEWISE static bool any_sign(const Signs<T>& signs) {
    return signs.any;
  }

  // Lane l: f(a[l], b[l], ...), of any types. Outside the concept: only this warp and CudaWarp have it.
  template <class F, class First, class... Rest>
  PAPILIO_LANEWISE static auto apply(F f, const Lanes<First>& first, const Lanes<Rest>&... rest) {
    Lanes<std::decay_t<decltype(f(first.at[0], rest.at[0]...))>> result;
    for (int l = 0; l < W; ++l) result.at[l] = f(first.at[l], rest.at[l]...);
    return result;
  }

  // *p = a[lane]. Outside the concept, too.
  template <class T>
  PAPILIO_LANEWISE static void store_lane(T* p, const Lanes<T>& a, int lane) {
    *p = a.at[lane];
  }

  PAPILIO_LANEWISE static void prefetch(const void*) {}
  PAPILIO_LANEWISE static void sync() {}

  // f(l, a[l]) for every lane l.
  template <class T, class F>
  PAPILIO_LANEWISE static void for_each_lane(Lanes<T> a, F f) {
    for (int l = 0; l < W; ++l) f(l, a.at[l]);
  }

 private:
  PAPILIO_LANEWISE static float fma(float x, float y, float c) { return __builtin_fmaf(x, y, c); }
  PAPILIO_LANEWISE static double fma(double x, double y, double c) { return __builtin_fma(x, y, c); }

  template <class T, class F>
  PAPILIO_LANEWISE static Lanes<T> each(F f) {
    Lanes<T> a;
    for (int l = 0; l < W; ++l) a.at[l] = f(l);
    return a;
  }
  template <class T, class F>
  PAPILIO_LANEWISE static Quads<T> quads(F f) {
    Quads<T> q;
    for (int l = 0; l < W; ++l)
      for (int e = 0; e < 4; ++e) q.at[l][e] = f(l, e);
    return q;
  }
  template <class F>
  PAPILIO_LANEWISE static Mask mask(F f) {
    Mask m;
    for (int l = 0; l < W; ++l) m.at[l] = f(l);
    return m;
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::warp
