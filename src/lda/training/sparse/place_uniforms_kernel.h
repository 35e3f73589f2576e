#pragma once

#include <cstddef>
#include <cstdint>

#include "lda/training/sparse/token_numbers_kernel.h"
#include "random/uniform_lanes.h"
#include "warp/simd_warp.h"

// Uniform numbers of tokens by their places in the part that is drawn here.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

#if defined(__AVX512F__)

namespace wide_uniforms {

using Wide = warp::simd::Vector<std::uint64_t, 8>;

// Of the lower halves.
PAPILIO_LANEWISE Wide product(Wide a, std::uint32_t b) {
  using warp::simd::bit_cast;
  return bit_cast<Wide>(_mm512_mul_epu32(bit_cast<__m512i>(a), bit_cast<__m512i>(Wide{} + b)));
}

}  // namespace wide_uniforms

// place_uniforms for registers of 64 bytes. The generator's words are in lanes of 64 bits, which a product takes as
// they are; what is above the lower 32 bits is of no use.
template <int registers>
PAPILIO_LANEWISE void wide_place_uniforms(std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
                                          const std::uint32_t* places, double* u) {
  using warp::simd::Vector;
  using wide_uniforms::Wide;
  Wide word[4][registers];
  PAPILIO_UNROLL
  for (int i = 0; i < registers; ++i) {
    const auto here = warp::simd::load<Vector<std::uint32_t, 8>>(places + std::ptrdiff_t{8} * i);
    word[0][i] = __builtin_convertvector(here, Wide) + first;
    word[1][i] = word[0][i] >> 32;
    word[2][i] = Wide{} + stream;
    word[3][i] = word[2][i] >> 32;
  }
  auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  PAPILIO_UNROLL
  for (int round = 0; round < 10; ++round) {
    PAPILIO_UNROLL
    for (int i = 0; i < registers; ++i) {
      const Wide a = wide_uniforms::product(word[0][i], 0xD2511F53u),
                 b = wide_uniforms::product(word[2][i], 0xCD9E8D57u);
      word[0][i] = (b >> 32) ^ word[1][i] ^ std::uint64_t{key0};
      word[1][i] = b;
      word[2][i] = (a >> 32) ^ word[3][i] ^ std::uint64_t{key1};
      word[3][i] = a;
    }
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  PAPILIO_UNROLL
  for (int i = 0; i < registers; ++i) {
    constexpr std::uint64_t bits = (std::uint64_t{1} << 53) - 1;
    const Wide of_bits = ((word[1][i] << 21) & bits) | ((word[0][i] << 32) >> 43);
    const Vector<double, 8> x = __builtin_convertvector(of_bits, Vector<double, 8>) * 0x1p-53;
    __builtin_memcpy(u + std::ptrdiff_t{8} * i, &x, sizeof x);
  }
}

#endif

// u[l] = the uniform number below 1 of the token first + places[l], for each lane l of W.
template <warp::Warp W>
PAPILIO_LANEWISE void place_uniforms(std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
                                     const std::uint32_t* places, double* u) {
#if defined(__AVX512F__)
  wide_place_uniforms<W::width / 8>(seed, stream, first, places, u);
#else
  const auto number = token_numbers<W>(first, W::load(places));
  const auto block = random::draw_blocks<W>(seed, stream, number.low, number.high);
  W::store(u, random::uniform53<W>(block.word[0], block.word[1]));
#endif
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
