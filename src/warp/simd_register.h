#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "warp/portability.h"

// Operations on one vector register that compiler vectors lack or
// express badly. Each uses the target's instruction where there
// is one, and otherwise gets the same result by other means.

namespace papilio::inline PAPILIO_TARGET::warp::simd {

template <class T, int lanes>
struct VectorOf {
  typedef T type __attribute__((vector_size(lanes * sizeof(T))));
};
template <class T, int lanes>
using Vector = typename VectorOf<T, lanes>::type;

// How many of W lanes of `size` bytes each fit into a register of `bytes` bytes.
constexpr int fitting_lanes(int W, int bytes, std::size_t size) {
  const int fit = bytes / static_cast<int>(size);
  return W < fit ? W : fit;
}

template <class V>
using Element = std::remove_cvref_t<decltype(std::declval<V>()[0])>;
template <class V>
inline constexpr int lanes_of = sizeof(V) / sizeof(Element<V>);

// Whether V is `lanes` elements of type T.
template <class V, class T, int lanes>
inline constexpr bool is = std::is_same_v<Element<V>, T>&& lanes_of<V> == lanes;

template <class To, class From>
PAPILIO_LANEWISE To bit_cast(From from) {
  return __builtin_bit_cast(To, from);
}

template <class V>
PAPILIO_LANEWISE V load(const Element<V>* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class V, int... i>
PAPILIO_LANEWISE V iota(std::integer_sequence<int, i...>) {
  return V{i...};
}
template <class V>
PAPILIO_LANEWISE V iota() {
  return iota<V>(std::make_integer_sequence<int, lanes_of<V>>{});
}

// The first `count` elements at p, zeros after them; no other byte is read.
// Any count: none where it is below 1, all where it is large.
template <class V>
PAPILIO_LANEWISE V load_partial(const Element<V>* p, std::int64_t count) {
  constexpr int lanes = lanes_of<V>;
  const int valid = count < 0 ? 0 : count > lanes ? lanes : static_cast<int>(count);
#if defined(__AVX512F__)
  if constexpr (is<V, float, 16>) return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << valid) - 1), p);
  if constexpr (is<V, double, 8>) return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << valid) - 1), p);
  if constexpr (is<V, std::int32_t, 16> || is<V, std::uint32_t, 16>)
    return bit_cast<V>(_mm512_maskz_loadu_epi32(static_cast<__mmask16>((1u << valid) - 1), p));
#endif
#if defined(__AVX2__)
  if constexpr (is<V, std::int32_t, 8> || is<V, std::uint32_t, 8>)
    return bit_cast<V>(_mm256_maskload_epi32(reinterpret_cast<const int*>(p),
                                             bit_cast<__m256i>(iota<Vector<std::int32_t, 8>>() < valid)));
  if constexpr (is<V, float, 8>)
    return _mm256_maskload_ps(p, bit_cast<__m256i>(iota<Vector<std::int32_t, 8>>() < valid));
  if constexpr (is<V, double, 4>)
    return _mm256_maskload_pd(p, bit_cast<__m256i>(iota<Vector<std::int64_t, 4>>() < valid));
#endif
  if (valid == lanes) return load<V>(p);
  V v{};
  for (int i = 0; i < valid; ++i) v[i] = p[i];
  return v;
}

#if defined(__SSE2__) && !defined(__FMA__)
// x * y + c in double, rounded to odd: where the sum is not exact, the neighbour
// with an odd last bit is taken, so that rounding it once more to float gives
// the float nearest to the exact result.
//
// Source: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums",
// IEEE Transactions on Computers 57(4), 2008.
PAPILIO_LANEWISE Vector<double, 2> multiply_add_to_odd(Vector<double, 2> x, Vector<double, 2> y, Vector<double, 2> c) {
  using Bits = Vector<std::int64_t, 2>;
  using Unsigned = Vector<std::uint64_t, 2>;
  const auto product = x * y;  // exact: 24 bits times 24 bits
  const auto sum = product + c;
  const auto rounded = sum - product;
  const auto error = (product - (sum - rounded)) + (c - rounded);
  const auto bits = bit_cast<Bits>(sum);
  const Bits inexact = (error < 0.0) | (error > 0.0);  // false for NaN
  const Bits step = inexact & ~bits & 1;               // 1 where the last bit is even and the sum not exact
  const auto opposite = bit_cast<Bits>(bit_cast<Unsigned>(bits ^ bit_cast<Bits>(error)) >> 63);
  return bit_cast<Vector<double, 2>>(bits + ((step ^ -opposite) + opposite));
}
#endif

// x * y + c, rounded once.
template <class V>
PAPILIO_LANEWISE V fma(V x, V y, V c) {
#if defined(__AVX512F__)
  if constexpr (is<V, float, 16>) return _mm512_fmadd_ps(x, y, c);
  if constexpr (is<V, double, 8>) return _mm512_fmadd_pd(x, y, c);
#endif
#if defined(__FMA__)
  if constexpr (is<V, float, 8>) return _mm256_fmadd_ps(x, y, c);
  if constexpr (is<V, double, 4>) return _mm256_fmadd_pd(x, y, c);
  if constexpr (is<V, float, 4>) return _mm_fmadd_ps(x, y, c);
  if constexpr (is<V, double, 2>) return _mm_fmadd_pd(x, y, c);
#elif defined(__SSE2__)
  if constexpr (is<V, float, 4>) {
    const auto high = [](V v) { return bit_cast<Vector<double, 2>>(_mm_cvtps_pd(_mm_movehl_ps(v, v))); };
    const auto low = [](V v) { return bit_cast<Vector<double, 2>>(_mm_cvtps_pd(v)); };
    return _mm_movelh_ps(_mm_cvtpd_ps(multiply_add_to_odd(low(x), low(y), low(c))),
                         _mm_cvtpd_ps(multiply_add_to_odd(high(x), high(y), high(c))));
  }
#endif
#if defined(__aarch64__)
  if constexpr (is<V, float, 4>)
    return bit_cast<V>(vfmaq_f32(bit_cast<float32x4_t>(c), bit_cast<float32x4_t>(x), bit_cast<float32x4_t>(y)));
  if constexpr (is<V, double, 2>)
    return bit_cast<V>(vfmaq_f64(bit_cast<float64x2_t>(c), bit_cast<float64x2_t>(x), bit_cast<float64x2_t>(y)));
#endif
  V v;
  for (int i = 0; i < lanes_of<V>; ++i) {
    if constexpr (std::is_same_v<Element<V>, float>)
      v[i] = __builtin_fmaf(x[i], y[i], c[i]);
    else
      v[i] = __builtin_fma(x[i], y[i], c[i]);
  }
  return v;
}

// Keeps a value in its register. Compilers would otherwise read it from
// memory again at each use, and these loops are limited by their loads.
template <class V>
PAPILIO_LANEWISE void hold(V& v) {
#if defined(__AVX512F__)
  asm("" : "+v"(v));
#elif defined(__x86_64__)
  asm("" : "+x"(v));
#elif defined(__aarch64__)
  asm("" : "+w"(v));
#endif
}

// signs | (x ^ y), bit by bit.
template <class V>
PAPILIO_LANEWISE V or_xor(V signs, V x, V y) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return bit_cast<V>(
        _mm512_ternarylogic_epi32(bit_cast<__m512i>(signs), bit_cast<__m512i>(x), bit_cast<__m512i>(y), 0xf6));
#endif
  return signs | (x ^ y);
}

// Bit i is the sign of element i of an integer vector.
template <class V>
PAPILIO_LANEWISE std::uint32_t movemask(V v) {
  constexpr int n = lanes_of<V>;
  [[maybe_unused]] constexpr auto size = sizeof(Element<V>);
#if defined(__AVX512F__)
  if constexpr (size == 4 && n == 16) return _mm512_movepi32_mask(bit_cast<__m512i>(v));
  if constexpr (size == 8 && n == 8) return _mm512_movepi64_mask(bit_cast<__m512i>(v));
#endif
#if defined(__AVX2__)
  if constexpr (size == 4 && n == 8) return static_cast<std::uint32_t>(_mm256_movemask_ps(bit_cast<__m256>(v)));
  if constexpr (size == 8 && n == 4) return static_cast<std::uint32_t>(_mm256_movemask_pd(bit_cast<__m256d>(v)));
#endif
#if defined(__SSE2__)
  if constexpr (size == 4 && n == 4) return static_cast<std::uint32_t>(_mm_movemask_ps(bit_cast<__m128>(v)));
  if constexpr (size == 8 && n == 2) return static_cast<std::uint32_t>(_mm_movemask_pd(bit_cast<__m128d>(v)));
#endif
  std::uint32_t all = 0;
  for (int i = 0; i < n; ++i) all |= static_cast<std::uint32_t>(v[i] < 0) << i;
  return all;
}

// Bit i is whether a[i] < b[i]. Compilers first make a vector of comparison
// results and then extract its bits, even where one instruction gives the bits.
template <class V>
PAPILIO_LANEWISE std::uint32_t less_bits(V a, V b) {
#if defined(__AVX512F__)
  if constexpr (is<V, double, 8>) return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
  if constexpr (is<V, float, 16>) return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
  if constexpr (is<V, std::int32_t, 16>) return _mm512_cmplt_epi32_mask(bit_cast<__m512i>(a), bit_cast<__m512i>(b));
  if constexpr (is<V, std::int32_t, 8>) return _mm256_cmplt_epi32_mask(bit_cast<__m256i>(a), bit_cast<__m256i>(b));
#endif
  return movemask(a < b);
}
template <class V>
PAPILIO_LANEWISE std::uint32_t equal_bits(V a, V b) {
#if defined(__AVX512F__)
  if constexpr (is<V, std::int32_t, 8>) return _mm256_cmpeq_epi32_mask(bit_cast<__m256i>(a), bit_cast<__m256i>(b));
#endif
  return movemask(a == b);
}

// Lane i receives p[index[i]].
template <class V>
PAPILIO_LANEWISE V gather(const Element<V>* p, Vector<std::int32_t, lanes_of<V>> index) {
#if defined(__AVX512F__)
  if constexpr (is<V, float, 16>) return _mm512_i32gather_ps(bit_cast<__m512i>(index), p, 4);
  if constexpr (is<V, double, 8>) return _mm512_i32gather_pd(bit_cast<__m256i>(index), p, 8);
#endif
#if defined(__AVX2__)
  if constexpr (is<V, float, 8>) return _mm256_i32gather_ps(p, bit_cast<__m256i>(index), 4);
  if constexpr (is<V, double, 4>) return _mm256_i32gather_pd(p, bit_cast<__m128i>(index), 8);
#endif
  V v;
  for (int i = 0; i < lanes_of<V>; ++i) v[i] = p[index[i]];
  return v;
}

// Lane i is f(first + i).
template <class V, class F, int... i>
PAPILIO_LANEWISE V generate(F f, int first, std::integer_sequence<int, i...>) {
  return V{f(first + i)...};
}
template <class V, class F>
PAPILIO_LANEWISE V generate(F f, int first) {
  return generate<V>(f, first, std::make_integer_sequence<int, lanes_of<V>>{});
}

// Element-wise static_cast.
template <class To, class From>
PAPILIO_LANEWISE To convert(From a) {
#if defined(__AVX512F__)
  if constexpr (is<From, std::int32_t, 8> && is<To, double, 8>) return _mm512_cvtepi32_pd(bit_cast<__m256i>(a));
  if constexpr (is<From, float, 8> && is<To, double, 8>) return _mm512_cvtps_pd(bit_cast<__m256>(a));
  if constexpr (is<From, double, 8> && is<To, float, 8>) return bit_cast<To>(_mm512_cvtpd_ps(a));
#endif
#if defined(__AVX2__)
  if constexpr (is<From, std::uint16_t, 8> && is<To, std::int32_t, 8>)
    return bit_cast<To>(_mm256_cvtepu16_epi32(bit_cast<__m128i>(a)));
#endif
#if defined(__SSE2__)
  if constexpr (is<From, float, 2> && is<To, double, 2>)
    return _mm_cvtps_pd(_mm_castsi128_ps(_mm_cvtsi64_si128(bit_cast<long long>(a))));
#endif
  return __builtin_convertvector(a, To);
}

// The largest floats that are not above the elements of a, which are >= 0.
template <class V>
PAPILIO_LANEWISE Vector<float, lanes_of<V>> round_down(V a) {
  using Floats = Vector<float, lanes_of<V>>;
#if defined(__AVX512F__)
  if constexpr (is<V, double, 8>)
    return bit_cast<Floats>(_mm512_cvt_roundpd_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
#endif
  Floats v;
  for (int i = 0; i < lanes_of<V>; ++i) {
    const auto nearest = static_cast<float>(a[i]);
    v[i] = __builtin_bit_cast(float, __builtin_bit_cast(std::int32_t, nearest) - (double{nearest} > a[i]));
  }
  return v;
}

// The halves of the 64-bit products a[i] * b.
template <class V>
PAPILIO_LANEWISE void multiply_wide(V a, std::uint32_t b, V& high, V& low) {
  using Wide = Vector<std::uint64_t, lanes_of<V> / 2>;
  const auto pairs = bit_cast<Wide>(a);
  const Wide factor = Wide{} + b;
  const auto product = [&](Wide x) -> Wide {  // of the low halves
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64)
      return bit_cast<Wide>(_mm512_mul_epu32(bit_cast<__m512i>(x), bit_cast<__m512i>(factor)));
#endif
#if defined(__AVX2__)
    if constexpr (sizeof(V) == 32)
      return bit_cast<Wide>(_mm256_mul_epu32(bit_cast<__m256i>(x), bit_cast<__m256i>(factor)));
#endif
#if defined(__SSE2__)
    if constexpr (sizeof(V) == 16)
      return bit_cast<Wide>(_mm_mul_epu32(bit_cast<__m128i>(x), bit_cast<__m128i>(factor)));
#endif
    return (x & 0xffffffffu) * factor;
  };
  const Wide even = product(pairs), odd = product(pairs >> 32);
  high = bit_cast<V>((even >> 32) | (odd & ~std::uint64_t{0xffffffffu}));
  low = bit_cast<V>((even & 0xffffffffu) | (odd << 32));
}

}  // namespace papilio::inline PAPILIO_TARGET::warp::simd
