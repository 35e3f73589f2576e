#pragma once

#include <cstdint>

#include "warp/portability.h"

// Philox4x32-10: random numbers as a pure function of a key and a counter.
//
// Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011, doi 10.1145/2063384.2063405.

namespace papilio::inline PAPILIO_TARGET::random {

template <class Word>
struct BlockOf {
  Word word[4];
};

using Block = BlockOf<std::uint32_t>;

// The 64-bit product of a word and a constant, as its two halves.
template <class Word>
struct Product {
  Word high;
  Word low;
};

PAPILIO_LANEWISE Product<std::uint32_t> multiply_wide(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  std::uint64_t product;  // written in C++, the compiler adds a zero to the high half if b is a constant
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
#else
  const std::uint64_t product = std::uint64_t{a} * b;
#endif
  return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
}

// Encrypts `counter` under `key` in ten rounds. Word is std::uint32_t, or the
// lanes of a warp for one block per lane; Key is std::uint32_t, or lanes likewise.
template <class Word, class Key>
PAPILIO_LANEWISE BlockOf<Word> philox4x32(BlockOf<Word> counter, Key key0, Key key1) {
  PAPILIO_UNROLL
  for (int round = 0; round < 10; ++round) {
    const auto a = multiply_wide(counter.word[0], 0xD2511F53u);
    const auto b = multiply_wide(counter.word[2], 0xCD9E8D57u);
    counter = {{b.high ^ counter.word[1] ^ key0, b.low, a.high ^ counter.word[3] ^ key1, a.low}};
    key0 = key0 + 0x9E3779B9u;  // the golden ratio
    key1 = key1 + 0xBB67AE85u;  // sqrt(3) - 1
  }
  return counter;
}

// The random block of draw number `index` in a stream of a seed: 128 bits that
// depend on nothing else: not on the thread, the batch or the device.
PAPILIO_LANEWISE Block draw_block(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const Block counter = {{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                          static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}};
  return philox4x32(counter, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

}  // namespace papilio::inline PAPILIO_TARGET::random
