#pragma once

#include <cstdint>

#include "random/philox.h"
#include "warp/simd_register.h"

namespace papilio::inline PAPILIO_TARGET::random {

// Words for philox4x32 in lanes of 64 bits, eight per register. A 64-bit product takes them as they are; words in
// lanes of 32 bits would have to be unpacked for it and packed again. The bits above the lower 32 mean nothing.
template <int registers>
struct WideWords {
  using Register = warp::simd::Vector<std::uint64_t, 8>;
  Register reg[registers];

  friend PAPILIO_LANEWISE WideWords operator^(WideWords a, WideWords b) {
    PAPILIO_UNROLL
    for (int i = 0; i < registers; ++i) a.reg[i] ^= b.reg[i];
    return a;
  }
  friend PAPILIO_LANEWISE WideWords operator^(WideWords a, std::uint32_t b) {
    PAPILIO_UNROLL
    for (int i = 0; i < registers; ++i) a.reg[i] ^= std::uint64_t{b};
    return a;
  }
  friend PAPILIO_LANEWISE Product<WideWords> multiply_wide(WideWords a, std::uint32_t b) {
    Product<WideWords> product;
    PAPILIO_UNROLL
    for (int i = 0; i < registers; ++i) {
      product.low.reg[i] = product_of_lower(a.reg[i], b);
      product.high.reg[i] = product.low.reg[i] >> 32;
    }
    return product;
  }

 private:
  PAPILIO_LANEWISE static Register product_of_lower(Register a, std::uint32_t b) {
    const Register factor = Register{} + b;
#if defined(__AVX512F__)
    using warp::simd::bit_cast;
    return bit_cast<Register>(_mm512_mul_epu32(bit_cast<__m512i>(a), bit_cast<__m512i>(factor)));
#else
    return (a & 0xffffffffu) * factor;
#endif
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::random
