#pragma once

#include <cstddef>
#include <cstdint>

#include "lda/training/sparse/token_numbers_kernel.h"
#include "random/uniform_lanes.h"
#include "random/wide_words.h"
#include "warp/native_warp.h"

// Uniform numbers of tokens, given their places in the part that is drawn here.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

// place_uniforms for registers of 64 bytes.
template <int registers>
PAPILIO_LANEWISE void wide_place_uniforms(std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
                                          const std::uint32_t* places, double* u) {
  using warp::simd::Vector;
  using Words = random::WideWords<registers>;
  using Register = typename Words::Register;
  random::BlockOf<Words> counter;
  PAPILIO_UNROLL
  for (int i = 0; i < registers; ++i) {
    const auto here = warp::simd::load<Vector<std::uint32_t, 8>>(places + std::ptrdiff_t{8} * i);
    counter.word[0].reg[i] = __builtin_convertvector(here, Register) + first;
    counter.word[1].reg[i] = counter.word[0].reg[i] >> 32;
    counter.word[2].reg[i] = Register{} + stream;
    counter.word[3].reg[i] = counter.word[2].reg[i] >> 32;
  }
  const auto block =
      random::philox4x32(counter, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  PAPILIO_UNROLL
  for (int i = 0; i < registers; ++i) {
    constexpr std::uint64_t bits = (std::uint64_t{1} << 53) - 1;
    const Register of_bits = ((block.word[1].reg[i] << 21) & bits) | ((block.word[0].reg[i] << 32) >> 43);
    const Vector<double, 8> x = __builtin_convertvector(of_bits, Vector<double, 8>) * 0x1p-53;
    __builtin_memcpy(u + std::ptrdiff_t{8} * i, &x, sizeof x);
  }
}

// u[l] = the uniform number below 1 of the token first + places[l], for each lane l of W.
template <warp::Warp W>
PAPILIO_LANEWISE void place_uniforms(std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
                                     const std::uint32_t* places, double* u) {
  if constexpr (warp::register_bytes == 64) {
    wide_place_uniforms<W::width / 8>(seed, stream, first, places, u);
  } else {
    const auto number = token_numbers<W>(first, W::load(places));
    const auto block = random::draw_blocks<W>(seed, stream, number.low, number.high);
    W::store(u, random::uniform53<W>(block.word[0], block.word[1]));
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
