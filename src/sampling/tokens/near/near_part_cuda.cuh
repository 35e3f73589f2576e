#pragma once

#include <cstdint>

#include "sampling/tokens/near/near_buckets_cuda.cuh"
#include "sampling/tokens/rough_power_cuda.cuh"
#include "sampling/tokens/row_tiles_cuda.cuh"

// Reads a block's part of a row once. Logits that reach a bound are collected; for the others approximate powers of 2
// are summed.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// `summed`: whether the sum over the logits that are not collected is needed; `masked`: whether the rows have a mask.
template <class Shape, class S, bool summed, bool masked>
class NearPart {
 public:
  static constexpr unsigned in_line = LogitLine<S>::size, in_batch = 16, at_once = in_batch / in_line;
  static constexpr unsigned stages = 4 / at_once + 1;  // batches in registers: one in use, the others being loaded
  static constexpr unsigned sums = 8;                  // partial sums of a batch
  // The additions of floats that a term goes through before it is part of a double.
  static constexpr int additions = static_cast<int>(in_batch / sums) - 1 + 3;

  // The part has the categories from `begin` to `end`. Powers are 2^(x high - top).
  __device__ NearPart(const TokenCall& call, std::int64_t row_number, std::int64_t begin, std::int64_t end, float least,
                      float high, float top)
      : mask_(call, row_number), least_(least), high_(high), top_(top) {
    const S* const row = static_cast<const S*>(call.logits) + row_number * call.row_stride;
    const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(row + begin) / sizeof(S));
    const auto count = static_cast<unsigned>(end - begin);
    const unsigned head = min(count, (in_line - place % in_line) % in_line);
    lines_ = (count - head) / in_line;
    const unsigned tail = count - head - lines_ * in_line, thread = threadIdx.x;
    first_ = static_cast<unsigned>(begin) + head + in_line * thread;
    from_ = reinterpret_cast<const uint4*>(row + begin + head) + thread;
    if (thread < head) edge_ = static_cast<std::int32_t>(begin + thread);
    if (thread >= head && thread < head + tail) edge_ = static_cast<std::int32_t>(end - tail + (thread - head));
    if (edge_ >= 0 && (!masked || is_allowed(call, row_number, edge_))) at_edge_ = logit_of(row[edge_]);
  }

  // The sum of this thread's powers, or 0 if none is needed; NaN if a logit is NaN.
  __device__ __forceinline__ double read() const {
    double rest = 0;
    if (edge_ >= 0) rest = take_edge();
    const unsigned batches = (lines_ + in_round - 1) / in_round;
    LogitLine<S> lines[stages][at_once];
    unsigned allowed[at_once];  // of the next batch
    if (masked && batches > 0) load_mask(allowed, 0);
    PAPILIO_UNROLL
    for (unsigned s = 0; s + 1 < stages; ++s)
      if (s < batches) load(lines[s], s);
    for (unsigned first = 0; first < batches; first += stages) {
      PAPILIO_UNROLL
      for (unsigned s = 0; s < stages; ++s) {
        const unsigned batch = first + s, ahead = batch + stages - 1;
        if (batch >= batches) break;
        if (ahead < batches) load(lines[(s + stages - 1) % stages], ahead);
        if constexpr (masked) {
          PAPILIO_UNROLL
          for (unsigned i = 0; i < at_once; ++i) LineMask<S>::apply(allowed[i], lines[s][i]);
          if (batch + 1 < batches) load_mask(allowed, batch + 1);
        }
        rest += take(lines[s], batch);
      }
    }
    return rest;
  }

 private:
  static constexpr unsigned in_round = at_once * Shape::threads;  // lines

  static __device__ __forceinline__ LogitLine<S> no_line() {
    LogitLine<S> line;
    const S none = minus_infinity<S>();
    PAPILIO_UNROLL
    for (unsigned e = 0; e < in_line; ++e) line.put(e, none);
    return line;
  }

  __device__ __forceinline__ void load(LogitLine<S> (&lines)[at_once], unsigned batch) const {
    const unsigned n = batch * in_round;
    if (n + in_round <= lines_) {
      PAPILIO_UNROLL
      for (unsigned i = 0; i < at_once; ++i)
        lines[i] = __builtin_bit_cast(LogitLine<S>, __ldg(from_ + n + i * Shape::threads));
      return;
    }
    PAPILIO_UNROLL
    for (unsigned i = 0; i < at_once; ++i) {
      const unsigned line = n + i * Shape::threads;
      lines[i] = no_line();
      if (line + threadIdx.x < lines_) lines[i] = __builtin_bit_cast(LogitLine<S>, __ldg(from_ + line));
    }
  }

  __device__ __forceinline__ void load_mask(unsigned (&allowed)[at_once], unsigned batch) const {
    PAPILIO_UNROLL
    for (unsigned i = 0; i < at_once; ++i) {
      const unsigned line = batch * in_round + i * Shape::threads;
      allowed[i] = line + threadIdx.x < lines_ ? mask_.of_line(first_ + line * in_line) : 0;
    }
  }

  // Collects the logits that reach the bound; returns the sum over the others. Called by all threads of a warp.
  __device__ __forceinline__ double take(const LogitLine<S> (&lines)[at_once], unsigned batch) const {
    double rest = 0;
    unsigned near = 0;
    if constexpr (summed) {
      rest = sum_of_rest(lines, near);
    } else {
      unsigned word = greatest_word(lines[0]);
      PAPILIO_UNROLL
      for (unsigned i = 1; i < at_once; ++i) word = greater_words(word, greatest_word(lines[i]), S());
      const float largest = largest_of_word(word, S());
      rest = largest != largest ? __builtin_nan("") : 0;
      if (largest >= least_) {
        PAPILIO_UNROLL
        for (unsigned i = 0; i < in_batch; ++i) near |= lines[i / in_line][i % in_line] >= least_ ? 1u << i : 0u;
      }
    }
    // The compiler must not derive the bits again: the predicates would take too many registers.
    asm volatile("" : "+r"(near));
    collect(lines, near, first_ + batch * in_round * in_line);
    __syncwarp();
    return rest;
  }

  __device__ __forceinline__ double sum_of_rest(const LogitLine<S> (&lines)[at_once], unsigned& near) const {
    float rest[sums];
    PAPILIO_UNROLL
    for (unsigned i = 0; i < in_batch; ++i) {
      const float x = lines[i / in_line][i % in_line];
      const bool is_near = x >= least_;
      near |= is_near ? 1u << i : 0u;
      const float power = rough_power(__fmaf_rn(x, high_, -top_));
      const float term = is_near ? 0.0f : power;
      rest[i % sums] = i < sums ? term : rest[i % sums] + term;
    }
    return static_cast<double>(((rest[0] + rest[4]) + (rest[2] + rest[6])) +
                               ((rest[1] + rest[5]) + (rest[3] + rest[7])));
  }

  // Each thread first stores its lines in shared memory: registers cannot be indexed by a variable.
  __device__ __forceinline__ void collect(const LogitLine<S> (&lines)[at_once], unsigned near, unsigned first) const {
    if (near == 0) return;
    auto* const stored = reinterpret_cast<LogitLine<S>*>(near_memory<Shape>().lines) + threadIdx.x;
    PAPILIO_UNROLL
    for (unsigned i = 0; i < at_once; ++i) stored[i * Shape::threads] = lines[i];
    const auto count = static_cast<unsigned>(__popc(near));
    unsigned place = add_to_count(count);
    if (place + count > Shape::capacity) near = 0;  // no room: the row will be left over
    const unsigned* const words = near_memory<Shape>().lines + 4 * threadIdx.x;
    for (; near != 0; near &= near - 1, ++place) {
      const auto i = static_cast<unsigned>(__ffs(static_cast<int>(near))) - 1, lines_before = i / in_line;
      const unsigned word = words[i * sizeof(S) / 4 + lines_before * 4 * (Shape::threads - 1)];
      near_logits<Shape>()[place] = {logit_in(word, i), first + i + lines_before * in_line * (Shape::threads - 1)};
    }
  }

  // The n-th logit of a line, from the word that contains it.
  static __device__ __forceinline__ float logit_in(unsigned word, unsigned n) {
    if constexpr (sizeof(S) == 4)
      return __uint_as_float(word);
    else
      return n % 2 == 0 ? low_logit(word, S()) : high_logit(word, S());
  }

  // Like atomicAdd, for which the compiler would first add over the warp, with more instructions.
  static __device__ __forceinline__ unsigned add_to_count(unsigned n) {
    unsigned before;
#if defined(__CUDA_ARCH__)
    asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "r"(arrival::address(&near_memory<Shape>().count)), "r"(n)
                 : "memory");
#else
    before = n;
#endif
    return before;
  }

  __device__ __noinline__ double take_edge() const {
    if (!(at_edge_ >= least_)) return static_cast<double>(rough_power(__fmaf_rn(at_edge_, high_, -top_)));
    const unsigned place = add_to_count(1);
    if (place < Shape::capacity) near_logits<Shape>()[place] = {at_edge_, static_cast<std::uint32_t>(edge_)};
    return 0;
  }

  LineMask<S> mask_;
  float least_, high_, top_;
  const uint4* from_;       // the thread's first line
  unsigned first_;          // and its category
  unsigned lines_;          // of the part
  std::int32_t edge_ = -1;  // a category outside the lines that this thread reads
  float at_edge_ = -__builtin_inff();
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
