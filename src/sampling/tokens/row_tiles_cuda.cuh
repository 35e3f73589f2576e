#pragma once

#include <cstdint>

#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_cluster_cuda.cuh"
#include "sampling/tokens/token_logits.h"
#include "sampling/tokens/token_weights_cuda.cuh"

// A row of adjacent logits as tiles of a warp, each read with loads of 16 bytes wherever the row begins.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr unsigned tile_loads = 4;  // of a thread, at the same time

__device__ __forceinline__ float low_logit(unsigned pair, BFloat16) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float high_logit(unsigned pair, BFloat16) { return __uint_as_float(pair & 0xFFFF'0000u); }
__device__ __forceinline__ float low_logit(unsigned pair, Half) {
  return logit_of(Half{static_cast<std::uint16_t>(pair)});
}
__device__ __forceinline__ float high_logit(unsigned pair, Half) {
  return logit_of(Half{static_cast<std::uint16_t>(pair >> 16)});
}

// 16 bytes of logits, as words; 16-bit logits in pairs.
template <class S>
struct alignas(16) LogitLine {
  static constexpr unsigned size = 16 / sizeof(S);
  unsigned words[4];

  __device__ __forceinline__ float operator[](unsigned e) const {
    if constexpr (sizeof(S) == 4)
      return __uint_as_float(words[e]);
    else
      return e % 2 == 0 ? low_logit(words[e / 2], S()) : high_logit(words[e / 2], S());
  }

  __device__ __forceinline__ void put(unsigned e, S x) {
    if constexpr (sizeof(S) == 4)
      words[e] = __float_as_uint(x);
    else
      words[e / 2] = e % 2 == 0 ? x.bits : words[e / 2] | unsigned{x.bits} << 16;
  }

  // Of -infinity.
  static __device__ __forceinline__ LogitLine empty() {
    LogitLine line;
    PAPILIO_UNROLL
    for (unsigned e = 0; e < size; ++e) line.put(e, minus_infinity<S>());
    return line;
  }
};

__device__ __forceinline__ unsigned greater_words(unsigned a, unsigned b, float) {
  return __float_as_uint(greater_or_nan(__uint_as_float(a), __uint_as_float(b)));
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ __forceinline__ unsigned greater_words(unsigned a, unsigned b, BFloat16) {
  unsigned c;
  asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
  return c;
}
__device__ __forceinline__ unsigned greater_words(unsigned a, unsigned b, Half) {
  unsigned c;
  asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
  return c;
}
#else
// The larger of each pair, by bits.
template <class S>
__device__ __forceinline__ unsigned greater_words(unsigned a, unsigned b, S) {
  const auto greater = [](unsigned x, float of_x, unsigned y, float of_y) {
    return of_x != of_x || of_x > of_y ? x : y;
  };
  return (greater(a, low_logit(a, S()), b, low_logit(b, S())) & 0xFFFFu) |
         (greater(a, high_logit(a, S()), b, high_logit(b, S())) & 0xFFFF'0000u);
}
#endif

// The largest word of a line.
template <class S>
__device__ __forceinline__ unsigned greatest_word(const LogitLine<S>& line) {
  const unsigned* const x = line.words;
  return greater_words(greater_words(x[0], x[1], S()), greater_words(x[2], x[3], S()), S());
}
// The largest logit of a word.
template <class S>
__device__ __forceinline__ float largest_of_word(unsigned word, S) {
  if constexpr (sizeof(S) == 4)
    return __uint_as_float(word);
  else
    return greater_or_nan(low_logit(word, S()), high_logit(word, S()));
}

// The largest of a thread's logits in a tile; NaN if any is.
template <class S>
__device__ __forceinline__ float largest_of(const LogitLine<S> (&lines)[tile_loads]) {
  unsigned largest = greatest_word(lines[0]);
  PAPILIO_UNROLL
  for (unsigned i = 1; i < tile_loads; ++i) largest = greater_words(largest, greatest_word(lines[i]), S());
  return largest_of_word(largest, S());
}

// Entries are the logits, and what precedes them within their first 16 bytes.
template <class S>
class RowTiles {
 public:
  static constexpr unsigned in_line = LogitLine<S>::size;
  static constexpr unsigned size = tile_loads * 32 * in_line;  // entries per tile

  __device__ RowTiles(const TokenCall& call, std::int64_t row) {
    const S* const first = static_cast<const S*>(call.logits) + row * call.row_stride;
    before_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first) / sizeof(S) % in_line);
    base_ = first - before_;
    end_ = before_ + static_cast<unsigned>(call.categories);
  }

  __device__ __forceinline__ unsigned count() const { return (end_ - 1) / size + 1; }

  // The first entry of a load of this thread; the loads of all threads are adjacent.
  __device__ __forceinline__ unsigned entry(unsigned tile, unsigned load) const {
    return tile * size + (load * 32 + static_cast<unsigned>(lane_of_thread())) * in_line;
  }
  __device__ __forceinline__ std::int32_t category_of(unsigned entry) const {
    return static_cast<std::int32_t>(entry - before_);
  }

  __device__ __forceinline__ bool is_whole(unsigned tile) const {
    return tile * size >= before_ && (tile + 1) * size <= end_;
  }

  __device__ __forceinline__ LogitLine<S> load(unsigned tile, unsigned i) const {
    return is_whole(tile) ? line(entry(tile, i)) : any_line(base_, before_, end_, entry(tile, i));
  }

  // Loads a tile, with -infinity outside of the row. Called by all threads of a warp.
  __device__ __forceinline__ void load(unsigned tile, LogitLine<S> (&lines)[tile_loads]) const {
    if (is_whole(tile)) {
      PAPILIO_UNROLL
      for (unsigned i = 0; i < tile_loads; ++i) lines[i] = line(entry(tile, i));
      return;
    }
    PAPILIO_UNROLL
    for (unsigned i = 0; i < tile_loads; ++i) lines[i] = any_line(base_, before_, end_, entry(tile, i));
  }

 private:
  __device__ __forceinline__ LogitLine<S> line(unsigned entry) const {
    return __builtin_bit_cast(LogitLine<S>, __ldg(reinterpret_cast<const uint4*>(base_ + std::size_t{entry})));
  }

  // Used rarely: at the ends of a row.
  static __device__ __noinline__ LogitLine<S> any_line(const S* base, unsigned before, unsigned end, unsigned entry) {
    LogitLine<S> made;
    PAPILIO_UNROLL
    for (unsigned e = 0; e < in_line; ++e)
      made.put(e, entry + e >= before && entry + e < end ? base[std::size_t{entry} + e] : minus_infinity<S>());
    return made;
  }

  const S* base_;  // a multiple of 16 bytes
  unsigned before_, end_;
};

// The mask of a row, for loads of whole lines of logits.
template <class S>
class LineMask {
 public:
  static constexpr unsigned in_line = LogitLine<S>::size;

  __device__ LineMask(const TokenCall& call, std::int64_t row) : words_(call.allowed + row * call.allowed_stride) {}

  // The bits of the line that begins with a category, from the lowest bit on. All of the line is in the row.
  __device__ __forceinline__ unsigned of_line(unsigned category) const {
    const unsigned* const word = words_ + category / 32;
    const unsigned place = category % 32;
    return __funnelshift_r(__ldg(word), place > 32 - in_line ? __ldg(word + 1) : 0u, place);
  }

  // Puts -infinity in place of logits that are not allowed.
  static __device__ __forceinline__ void apply(unsigned bits, LogitLine<S>& line) {
    constexpr unsigned in_word = 4 / sizeof(S);
    const unsigned none = minus_infinity_word();
    PAPILIO_UNROLL
    for (unsigned w = 0; w < 4; ++w) {
      unsigned kept = 0;
      PAPILIO_UNROLL
      for (unsigned e = 0; e < in_word; ++e)
        kept |= (bits >> (w * in_word + e) & 1u) != 0 ? ~0u >> (32 - 8 * sizeof(S)) << (8 * sizeof(S) * e) : 0u;
      line.words[w] = (line.words[w] & kept) | (none & ~kept);
    }
  }

 private:
  static __device__ __forceinline__ unsigned minus_infinity_word() {
    LogitLine<S> line;
    for (unsigned e = 0; e < in_line; ++e) line.put(e, minus_infinity<S>());
    return line.words[0];
  }

  const unsigned* words_;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
