#pragma once

#include <cstdint>
#include <type_traits>

#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/token_weights_cuda.cuh"

// The sum of the weights of a thread's logits, several at a time. This takes fewer instructions than one by one. A
// double between 2^52 and 2^53 units of the law has an ulp of one unit. A weight that is added to it and rounded
// towards 0 therefore loses what the law cuts off.

// Loops that are not unrolled: code that runs once has to wait for its instructions.
#if defined(__CUDA_ARCH__)
#define PAPILIO_UNROLL_NONE _Pragma("unroll 1")
#else
#define PAPILIO_UNROLL_NONE
#endif

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// (2^30 2^g as a whole number, `digits`) times 2^n. `shifted` has n in its last bits. `digits` are not 0, so that n can
// be added to the exponent.
__device__ __forceinline__ double shifted_digits(unsigned digits, float shifted) {
  const double whole = __hiloint2double(0x4330'0000, static_cast<int>(digits)) - 0x1p52;
  const unsigned high = static_cast<unsigned>(__double2hiint(whole)) + (__float_as_uint(shifted) << 20);
  return __hiloint2double(static_cast<int>(high), __double2loint(whole));
}

// 2^30 (2^g - 1) as a whole number, for |g| <= 1/2.
__device__ __forceinline__ int digits_above_one(float g) {
  return __float2int_rz(exp2_slope<warp::CudaWarp<32>, 30>(g) * g);
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

// The least 16-bit logit that is not below x, as a pair.
__device__ __forceinline__ unsigned pair_from(float x, BFloat16) {
  const unsigned bits = __float_as_uint(x), above = (bits >> 31) != 0 ? bits : bits + 0xFFFFu;
  return __byte_perm(above, above, 0x3232);
}
__device__ __forceinline__ unsigned pair_from(float x, Half) {
  std::uint16_t above;
  asm("cvt.rp.f16.f32 %0, %1;" : "=h"(above) : "f"(x));
  return above * 0x10001u;
}
// Whether both logits of pair a reach those of pair b, and the distances from 0 of both of c those of d.
template <class S>
__device__ __forceinline__ bool are_from(unsigned a, unsigned b, unsigned c, unsigned d, S) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  unsigned are;
  c &= 0x7FFF'7FFFu;
  if constexpr (std::is_same_v<S, BFloat16>)
    asm("{.reg .pred p, q, r, s; setp.ge.bf16x2 p|q, %1, %2; setp.ge.and.bf16x2 r|s, %3, %4, p; and.pred r, r, s;"
        "and.pred r, r, q; selp.u32 %0, 1, 0, r;}"
        : "=r"(are)
        : "r"(a), "r"(b), "r"(c), "r"(d));
  else
    asm("{.reg .pred p, q, r, s; setp.ge.f16x2 p|q, %1, %2; setp.ge.and.f16x2 r|s, %3, %4, p; and.pred r, r, s;"
        "and.pred r, r, q; selp.u32 %0, 1, 0, r;}"
        : "=r"(are)
        : "r"(a), "r"(b), "r"(c), "r"(d));
  return are != 0;
#else
  return low_logit(a, S()) >= low_logit(b, S()) && high_logit(a, S()) >= high_logit(b, S()) &&
         fabsf(low_logit(c, S())) >= low_logit(d, S()) && fabsf(high_logit(c, S())) >= high_logit(d, S());
#endif
}

// Weights are summed so many at a time. `whole_warps`: all lanes of a warp sum together.
template <class S, unsigned logits_at_once = 8, bool whole_warps = false>
class WeightSums {
 public:
  static constexpr unsigned at_once = logits_at_once, in_line = LogitLine<S>::size, lines = at_once / in_line;

  // Of logits that are not NaN or above the largest.
  __device__ __forceinline__ explicit WeightSums(const TokenScale& scale) : scale_(scale) {
    if constexpr (sizeof(S) == 4) {
      nearest_ = nearest_logit(scale);
    } else {
      nearest_pair_ = pair_from(scale.largest - 60.0f / scale.high, S());
      least_pair_ = pair_from(least_exact(scale), S());
    }
  }

  // Whether so many weights have a sum of at most 2^52.
  static __device__ __forceinline__ bool fit(unsigned count, const TokenScale& scale) {
    return scale.unit_bits <= 52 && count <= std::uint64_t{1} << (52 - scale.unit_bits) && count % at_once == 0;
  }

  // The sum of `count` logits from a multiple of 16 bytes on. The threads begin at different ones, so that they read
  // from different banks of the memory.
  __device__ __forceinline__ std::uint64_t of(const S* logits, unsigned count) const {
    const unsigned steps = count / at_once, turn = lines == 2 ? threadIdx.x / 4 % 2 : 0;
    unsigned at = min(threadIdx.x % 8, steps - 1);
    double sum = none();
    PAPILIO_UNROLL_NONE
    for (unsigned n = 0; n < steps; ++n) {
      const auto* const from = reinterpret_cast<const LogitLine<S>*>(logits) + lines * at;
      at = at + 1 == steps ? 0 : at + 1;
      LogitLine<S> line[lines];
      PAPILIO_UNROLL
      for (unsigned i = 0; i < lines; ++i) line[i] = from[i ^ turn];
      sum = plus(sum, line);
    }
    return units(sum);
  }

  // The sum of no weights: 2^(30 - unit_bits), the unit of a weight's digits, times 2^52.
  __device__ __forceinline__ double none() const { return __hiloint2double((1023 + 82 - scale_.unit_bits) << 20, 0); }
  // A sum in units of the law.
  __device__ __forceinline__ std::uint64_t units(double sum) const {
    return __builtin_bit_cast(std::uint64_t, sum) - __builtin_bit_cast(std::uint64_t, none());
  }

  // sum + the weights of some lines.
  __device__ __forceinline__ double plus(double sum, const LogitLine<S> (&line)[lines]) const {
    each(line, [&](float, double weight) { sum = __dadd_rz(sum, weight); });
    return sum;
  }

  // Calls add(logit, weight) for some lines. Weights are what digits_of and digits_of_near compute, with the error of d
  // left out where it is 0, and not yet cut off.
  template <class Add>
  __device__ __forceinline__ void each(const LogitLine<S> (&line)[lines], const Add& add) const {
    const float high = scale_.high, low = scale_.low;
    const bool near = are_near(line);
    if (whole_warps ? __all_sync(whole_warp, near ? 1 : 0) != 0 : near) {
      PAPILIO_UNROLL
      for (unsigned e = 0; e < at_once; ++e) {
        const float x = line[e / in_line][e % in_line], d = x - scale_.largest, y = d * high;
        float rest = __fmaf_rn(d, low, __fmaf_rn(d, high, -y));
        if constexpr (sizeof(S) == 4) rest = __fmaf_rn(x - (d + scale_.largest), high, rest);
        add(x, weight<true>(y, rest));
      }
      return;
    }
    PAPILIO_UNROLL
    for (unsigned e = 0; e < at_once; ++e) {
      const float x = line[e / in_line][e % in_line], d = x - scale_.largest, back = d - x;
      const float error = (x - (d - back)) - (scale_.largest + back);
      const float y = fmaxf(d * high, -64.0f);
      add(x, weight<false>(y, __fmaf_rn(error, high, __fmaf_rn(d, low, __fmaf_rn(d, high, -y)))));
    }
  }

 private:
  // From which distance from 0 on a 16-bit logit x within 60 exponents of the largest makes x - largest a float;
  // infinity if the largest is too near 0 itself. A logit of p bits is a whole multiple of more than 2^-p of itself.
  // The difference is a multiple of the unit of the one that is nearer to 0, and a float if it is at most 2^24 of
  // these. If that is x, the difference is below (|largest| + |x|) (1 + 2^-11), so |largest| 2^(p - 24) (1 + 2^-10) is
  // enough for |x|. If it is the largest, the difference is at most 60 exponents.
  static __device__ __forceinline__ float least_exact(const TokenScale& scale) {
    constexpr float share = std::is_same_v<S, BFloat16> ? 0x1p-16f : 0x1p-13f;  // 2^(p - 24)
    const float largest = fabsf(scale.largest);
    return largest >= 61.0f / scale.high * share ? largest * (share * 1.001f) : __builtin_inff();
  }

  // Whether the differences to the largest are simple and their exponents well above -64.
  __device__ __forceinline__ bool are_near(const LogitLine<S> (&line)[lines]) const {
    if constexpr (sizeof(S) == 4) {
      return least_of(line) >= nearest_;
    } else {
      unsigned least = line[0].words[0], nearest = nearer_words(line[0].words[0], line[0].words[1], S());
      PAPILIO_UNROLL
      for (unsigned n = 1; n < 4 * lines; ++n) least = lesser_words(least, line[n / 4].words[n % 4], S());
      PAPILIO_UNROLL
      for (unsigned n = 2; n < 4 * lines; ++n) nearest = nearer_words(nearest, line[n / 4].words[n % 4], S());
      return are_from(least, nearest_pair_, nearest, least_pair_, S());
    }
  }
  static __device__ __forceinline__ float least_of(const LogitLine<S> (&line)[lines]) {
    float least = line[0][0];
    PAPILIO_UNROLL
    for (unsigned e = 1; e < at_once; ++e) least = fminf(least, line[e / in_line][e % in_line]);
    return least;
  }

  // From y = (x - largest) high, rounded, and what is left of the exponent. Of logits that are not near the digits may
  // be anything, but not 0.
  template <bool near>
  __device__ __forceinline__ double weight(float y, float rest) const {
    constexpr float rounding = 0x1.8p23f;
    const float shifted = y + rounding;
    const auto above = static_cast<unsigned>(digits_above_one((y - (shifted - rounding)) + rest));
    return shifted_digits(near ? above + (1u << 30) : __viaddmax_u32(above, 1u << 30, 1u), shifted);
  }

  const TokenScale& scale_;
  float nearest_ = 0;
  unsigned nearest_pair_ = 0, least_pair_ = 0;  // for 16-bit logits: the same, and what least_exact says
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
