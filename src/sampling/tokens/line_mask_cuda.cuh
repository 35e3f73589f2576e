#pragma once

#include <cstdint>

#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/token_call_cuda.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

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
