#pragma once

#include <cstdint>
#include <utility>

#include "warp/simd_register.h"

// Exchange between the elements of vector registers, each by the
// target's own instruction where it has one that compilers do not find.

namespace papilio::inline PAPILIO_TARGET::warp::simd {

// Lane i receives a[lane[i]]; 0 <= lane[i] < lanes.
template <class V>
PAPILIO_LANEWISE V permute(V a, Vector<std::int32_t, lanes_of<V>> lane) {
#if defined(__AVX512F__)
  if constexpr (is<V, float, 16>) return _mm512_permutexvar_ps(bit_cast<__m512i>(lane), a);
  if constexpr (is<V, double, 8>) return _mm512_permutexvar_pd(_mm512_cvtepi32_epi64(bit_cast<__m256i>(lane)), a);
#endif
#if defined(__AVX2__)
  if constexpr (is<V, float, 8>) return _mm256_permutevar8x32_ps(a, bit_cast<__m256i>(lane));
#endif
  V v;
  for (int i = 0; i < lanes_of<V>; ++i) v[i] = a[lane[i]];
  return v;
}

// Lane i receives element `lane[i]` of a and b, one after the other, modulo the elements of both.
template <class V>
PAPILIO_LANEWISE V permute(V a, V b, Vector<std::int32_t, lanes_of<V>> lane) {
#if defined(__AVX512F__)
  if constexpr (is<V, float, 16>) return _mm512_permutex2var_ps(a, bit_cast<__m512i>(lane), b);
#endif
  V v;
  for (int i = 0; i < lanes_of<V>; ++i) {
    const int from = lane[i] & (2 * lanes_of<V> - 1);
    v[i] = from < lanes_of<V> ? a[from] : b[from - lanes_of<V>];
  }
  return v;
}

// The first half of a's elements (half = 0), or the second (half = 1).
template <int half, class V, int... i>
PAPILIO_LANEWISE Vector<Element<V>, lanes_of<V> / 2> half_of(V a, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, a, (half * (lanes_of<V> / 2) + i)...);
}
template <int half, class V>
PAPILIO_LANEWISE Vector<Element<V>, lanes_of<V> / 2> half_of(V a) {
  return half_of<half>(a, std::make_integer_sequence<int, lanes_of<V> / 2>{});
}

// The elements of a, then those of b, in a register of twice the size.
template <class V, int... i>
PAPILIO_LANEWISE Vector<Element<V>, 2 * lanes_of<V>> both(V a, V b, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, i...);
}
template <class V>
PAPILIO_LANEWISE Vector<Element<V>, 2 * lanes_of<V>> both(V a, V b) {
  return both(a, b, std::make_integer_sequence<int, 2 * lanes_of<V>>{});
}

// The elements of a whose bits are set, packed at the front; the elements after them mean nothing.
template <class V>
PAPILIO_LANEWISE V compress(std::uint32_t bits, V a) {
#if defined(__AVX512F__)
  if constexpr (is<V, double, 8>) return _mm512_maskz_compress_pd(static_cast<__mmask8>(bits), a);
#endif
#if defined(__AVX512VL__)
  if constexpr (is<V, std::int32_t, 8>)
    return bit_cast<V>(_mm256_maskz_compress_epi32(static_cast<__mmask8>(bits), bit_cast<__m256i>(a)));
#endif
  V v{};
  for (int i = 0, to = 0; i < lanes_of<V>; ++i) {
    if (bits >> i & 1u) v[to++] = a[i];
  }
  return v;
}

// Lane i receives a[i ^ bits], bits a power of two below the number of lanes, or 0.
template <int bits, class V, int... i>
PAPILIO_LANEWISE V exchange(V a, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, a, (i ^ bits)...);
}
template <class V>
PAPILIO_LANEWISE V exchange(V a, int bits) {
  constexpr auto lanes = std::make_integer_sequence<int, lanes_of<V>>{};
  switch (bits) {
    case 1:
      return exchange<1 % lanes_of<V>>(a, lanes);
    case 2:
      return exchange<2 % lanes_of<V>>(a, lanes);
    case 4:
      return exchange<4 % lanes_of<V>>(a, lanes);
    case 8:
      return exchange<8 % lanes_of<V>>(a, lanes);
    default:
      return a;
  }
}

// The sums of neighbouring pairs, first of a, then of b.
template <class V, int... i>
PAPILIO_LANEWISE V add_pairs(V a, V b, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, 2 * i...) + __builtin_shufflevector(a, b, (2 * i + 1)...);
}
template <class V>
PAPILIO_LANEWISE V add_pairs(V a, V b) {
  return add_pairs(a, b, std::make_integer_sequence<int, lanes_of<V>>{});
}

// `running_sums`: element i is the sum of elements 0 ... i, by shifting. `last_everywhere`: the last element, in all.
template <int by, class V, int... i>
PAPILIO_LANEWISE V shift_up(V a, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(V{}, a, (i < by ? i : lanes_of<V> + i - by)...);
}
template <class V>
PAPILIO_LANEWISE V running_sums(V a) {
  constexpr auto lanes = std::make_integer_sequence<int, lanes_of<V>>{};
  a = a + shift_up<1>(a, lanes);
  if constexpr (lanes_of < V >> 2) a = a + shift_up<2>(a, lanes);
  if constexpr (lanes_of < V >> 4) a = a + shift_up<4>(a, lanes);
  if constexpr (lanes_of < V >> 8) a = a + shift_up<8>(a, lanes);
  return a;
}
template <class V, int... i>
PAPILIO_LANEWISE V last_everywhere(V a, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, a, (i * 0 + lanes_of<V> - 1)...);
}
template <class V>
PAPILIO_LANEWISE V last_everywhere(V a) {
  return last_everywhere(a, std::make_integer_sequence<int, lanes_of<V>>{});
}

// Each element of one half of a, twice: 0 0 1 1 ... for the first half (half 0), likewise for the second (half 1).
template <class V, int... i>
PAPILIO_LANEWISE V twice(V a, int half, std::integer_sequence<int, i...>) {
  constexpr int middle = lanes_of<V> / 2;
  return half == 0 ? __builtin_shufflevector(a, a, (i / 2)...) : __builtin_shufflevector(a, a, (middle + i / 2)...);
}
template <class V>
PAPILIO_LANEWISE V twice(V a, int half) {
  return twice(a, half, std::make_integer_sequence<int, lanes_of<V>>{});
}

// Elements 0, 2, 4, ... (odd = 0) or 1, 3, 5, ... (odd = 1) of a, then of b.
template <int odd, class V, int... i>
PAPILIO_LANEWISE V every_other(V a, V b, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, (2 * i + odd)...);
}

// Rows of four, in memory order over four registers, become columns: row[e]
// receives elements e, 4 + e, 8 + e, ...
template <class V>
PAPILIO_LANEWISE void deinterleave(V (&row)[4]) {
  constexpr auto lanes = std::make_integer_sequence<int, lanes_of<V>>{};
  const V even_low = every_other<0>(row[0], row[1], lanes), even_high = every_other<0>(row[2], row[3], lanes);
  const V odd_low = every_other<1>(row[0], row[1], lanes), odd_high = every_other<1>(row[2], row[3], lanes);
  row[0] = every_other<0>(even_low, even_high, lanes);
  row[1] = every_other<0>(odd_low, odd_high, lanes);
  row[2] = every_other<1>(even_low, even_high, lanes);
  row[3] = every_other<1>(odd_low, odd_high, lanes);
}

// Element i of a where bit i of m is set, else of b.
template <class V>
PAPILIO_LANEWISE V blend([[maybe_unused]] std::uint32_t m, V a, V b) {
#if defined(__AVX512F__)
  if constexpr (is<V, float, 16>) return _mm512_mask_blend_ps(static_cast<__mmask16>(m), b, a);
  if constexpr (is<V, double, 8>) return _mm512_mask_blend_pd(static_cast<__mmask8>(m), b, a);
  if constexpr (sizeof(V) == 64 && sizeof(b[0]) == 4)
    return bit_cast<V>(_mm512_mask_blend_epi32(static_cast<__mmask16>(m), bit_cast<__m512i>(b), bit_cast<__m512i>(a)));
  if constexpr (sizeof(V) == 64 && sizeof(b[0]) == 8)
    return bit_cast<V>(_mm512_mask_blend_epi64(static_cast<__mmask8>(m), bit_cast<__m512i>(b), bit_cast<__m512i>(a)));
  if constexpr (sizeof(V) == 32 && sizeof(b[0]) == 4)
    return bit_cast<V>(_mm256_mask_blend_epi32(static_cast<__mmask8>(m), bit_cast<__m256i>(b), bit_cast<__m256i>(a)));
  if constexpr (sizeof(V) == 16 && sizeof(b[0]) == 4)
    return bit_cast<V>(_mm_mask_blend_epi32(static_cast<__mmask8>(m), bit_cast<__m128i>(b), bit_cast<__m128i>(a)));
  if constexpr (sizeof(V) == 32 && sizeof(b[0]) == 8)
    return bit_cast<V>(_mm256_mask_blend_epi64(static_cast<__mmask8>(m), bit_cast<__m256i>(b), bit_cast<__m256i>(a)));
#endif
  V v;
  for (int i = 0; i < lanes_of<V>; ++i) v[i] = (m >> i & 1) != 0 ? a[i] : b[i];
  return v;
}

}  // namespace papilio::inline PAPILIO_TARGET::warp::simd
