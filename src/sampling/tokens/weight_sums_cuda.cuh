#pragma once

#include <cstdint>
#include <type_traits>

#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/token_weights_cuda.cuh"

// The sum of the weights of a thread's logits, eight at a time, in fewer instructions than one by one. A double between
// 2^52 and 2^53 units of the law has an ulp of one: a weight that is added to it and rounded towards 0 loses what the
// law cuts off.

// Loops that are not unrolled: what runs once waits for its instructions.
#if defined(__CUDA_ARCH__)
#define PAPILIO_UNROLL_NONE _Pragma("unroll 1")
#else
#define PAPILIO_UNROLL_NONE
#endif

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// sum + 2^30 2^g as a whole number, times 2^n. `shifted` has n in its last bits. Whatever became of the digits, they
// are not 0, so that n can be added to the exponent.
__device__ __forceinline__ double plus_power(double sum, float g, float shifted) {
  const int part = __float2int_rz(exp2_slope<warp::CudaWarp<32>, 30>(g) * g);
  const unsigned digits = __viaddmax_u32(static_cast<unsigned>(part), 1u << 30, 1u);
  const double whole = __hiloint2double(0x4330'0000, static_cast<int>(digits)) - 0x1p52;
  const unsigned high = static_cast<unsigned>(__double2hiint(whole)) + (__float_as_uint(shifted) << 20);
  return __dadd_rz(sum, __hiloint2double(static_cast<int>(high), __double2loint(whole)));
}

// The lesser of both pairs; none is NaN.
__device__ __forceinline__ unsigned lesser_words(unsigned a, unsigned b, BFloat16) {
  unsigned c;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("min.bf16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
#else
  c = __float_as_uint(fminf(low_logit(a, BFloat16()), low_logit(b, BFloat16()))) >> 16 |
      __float_as_uint(fminf(high_logit(a, BFloat16()), high_logit(b, BFloat16())));
#endif
  return c;
}
__device__ __forceinline__ unsigned lesser_words(unsigned a, unsigned b, Half) {
  unsigned c;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("min.f16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
#else
  const unsigned low = low_logit(a, Half()) < low_logit(b, Half()) ? a : b;
  const unsigned high = high_logit(a, Half()) < high_logit(b, Half()) ? a : b;
  c = (low & 0xFFFFu) | (high & 0xFFFF'0000u);
#endif
  return c;
}
template <class S>
__device__ __forceinline__ float least_of_words(const unsigned (&words)[4]) {
  const unsigned least =
      lesser_words(lesser_words(words[0], words[1], S()), lesser_words(words[2], words[3], S()), S());
  return fminf(low_logit(least, S()), high_logit(least, S()));
}
// The least distance of both pairs from 0, with any signs.
template <class S>
__device__ __forceinline__ unsigned nearer_words(unsigned a, unsigned b, S) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 860
  unsigned c;
  if constexpr (std::is_same_v<S, BFloat16>)
    asm("min.xorsign.abs.bf16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
  else
    asm("min.xorsign.abs.f16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
  return c;
#else
  return lesser_words(a & 0x7FFF'7FFFu, b & 0x7FFF'7FFFu, S());
#endif
}
template <class S>
__device__ __forceinline__ float nearest_of_words(const unsigned (&words)[4]) {
  const unsigned least =
      nearer_words(nearer_words(words[0], words[1], S()), nearer_words(words[2], words[3], S()), S());
  return fminf(fabsf(low_logit(least, S())), fabsf(high_logit(least, S())));
}

template <class S>
class WeightSums {
 public:
  static constexpr unsigned at_once = 8;

  // Of logits that are not NaN or above the largest.
  __device__ __forceinline__ explicit WeightSums(const TokenScale& scale) : scale_(scale) {
    if constexpr (sizeof(S) == 4) {
      nearest_ = nearest_logit(scale);
    } else {
      nearest_ = scale.largest - 60.0f / scale.high;
      least_ = least_exact(scale);
    }
  }

  // Whether so many weights have a sum of at most 2^52.
  static __device__ __forceinline__ bool fit(unsigned count, const TokenScale& scale) {
    return scale.unit_bits <= 52 && count <= std::uint64_t{1} << (52 - scale.unit_bits) && count % at_once == 0;
  }

  // The sum of `count` logits from a multiple of 16 bytes on. Threads begin at different ones, for the sake of memory's
  // banks.
  __device__ __forceinline__ std::uint64_t of(const S* logits, unsigned count) const {
    const unsigned steps = count / at_once;
    return of(logits, steps, min(threadIdx.x % 8, steps - 1));
  }
  __device__ __forceinline__ std::uint64_t of(const S* logits, unsigned steps, unsigned at) const {
    // Of 2^(30 - unit_bits), the unit of a weight's digits.
    const double zero = __hiloint2double((1023 + 82 - scale_.unit_bits) << 20, 0);
    const unsigned turn = lines == 2 ? threadIdx.x / 4 % 2 : 0;
    double sum = zero;
    PAPILIO_UNROLL_NONE
    for (unsigned n = 0; n < steps; ++n) {
      const auto* const from = reinterpret_cast<const LogitLine<S>*>(logits) + lines * at;
      at = at + 1 == steps ? 0 : at + 1;
      LogitLine<S> line[lines];
      PAPILIO_UNROLL
      for (unsigned i = 0; i < lines; ++i) line[i] = from[i ^ turn];
      sum = plus(sum, line);
    }
    return __builtin_bit_cast(std::uint64_t, sum) - __builtin_bit_cast(std::uint64_t, zero);
  }

 private:
  static constexpr unsigned in_line = LogitLine<S>::size, lines = at_once / in_line;

  // Of 16-bit logits within 60 exponents of the largest: from which distance from 0 on x - largest is a float. A logit
  // of p bits is a whole multiple of its 2^-p, so the difference is one of the smaller of both; it is a float if it is
  // less than 2^24 of them.
  static __device__ __forceinline__ float least_exact(const TokenScale& scale) {
    constexpr float share = std::is_same_v<S, BFloat16> ? 0x1p-16f : 0x1p-13f;  // 2^(p - 24)
    const float least = 61.0f / scale.high * share;
    return fabsf(scale.largest) >= least ? least : __builtin_inff();
  }

  // Whether the differences to the largest are simple and their exponents well above -64.
  __device__ __forceinline__ int are_near(const LogitLine<S> (&line)[lines], const float (&x)[at_once]) const {
    if constexpr (sizeof(S) == 2) {
      return static_cast<int>(least_of_words<S>(line[0].words) >= nearest_) &
             static_cast<int>(nearest_of_words<S>(line[0].words) >= least_);
    } else {
      float least = x[0];
      PAPILIO_UNROLL
      for (unsigned e = 1; e < at_once; ++e) least = fminf(least, x[e]);
      return least >= nearest_ ? 1 : 0;
    }
  }

  // From y = (x - largest) high, rounded, and what is left of the exponent.
  __device__ __forceinline__ double plus_weight(double sum, float y, float rest) const {
    constexpr float rounding = 0x1.8p23f;
    const float shifted = y + rounding;
    return plus_power(sum, (y - (shifted - rounding)) + rest, shifted);
  }

  // What digits_of and digits_of_near compute, with the error of d left out if it is 0.
  __device__ __forceinline__ double plus(double sum, const LogitLine<S> (&line)[lines]) const {
    float x[at_once];
    PAPILIO_UNROLL
    for (unsigned e = 0; e < at_once; ++e) x[e] = line[e / in_line][e % in_line];
    const float high = scale_.high, low = scale_.low;
    if (are_near(line, x) != 0) {
      PAPILIO_UNROLL
      for (unsigned e = 0; e < at_once; ++e) {
        const float d = x[e] - scale_.largest, y = d * high;
        float rest = __fmaf_rn(d, low, __fmaf_rn(d, high, -y));
        if constexpr (sizeof(S) == 4) rest = __fmaf_rn(x[e] - (d + scale_.largest), high, rest);
        sum = plus_weight(sum, y, rest);
      }
      return sum;
    }
    PAPILIO_UNROLL
    for (unsigned e = 0; e < at_once; ++e) {
      const float d = x[e] - scale_.largest, back = d - x[e];
      const float error = (x[e] - (d - back)) - (scale_.largest + back);
      const float y = fmaxf(d * high, -64.0f);
      sum = plus_weight(sum, y, __fmaf_rn(error, high, __fmaf_rn(d, low, __fmaf_rn(d, high, -y))));
    }
    return sum;
  }

  const TokenScale& scale_;
  float nearest_, least_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
