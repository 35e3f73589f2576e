#pragma once

#include <cstdint>

#include "sampling/tokens/near/near_buckets_cuda.cuh"
#include "sampling/tokens/rough_power_cuda.cuh"
#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/token_loads_cuda.cuh"

// Reads a block's part of a row once. Logits that reach a bound are collected; for the others approximate powers of 2
// are summed.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// What the threads of a block read together: a batch, of so many logits in each thread, in lines of 16 bytes.
template <class S>
struct NearBatch {
  static constexpr unsigned in_line = LogitLine<S>::size, size = 16, lines = size / in_line;
  using Lines = LogitLine<S>[lines];
};

// Loads a sample from places spread over a row, a batch in each of some rounds.
template <class Shape, class S, bool masked>
__device__ __forceinline__ void load_sample(const TokenCall& call, std::int64_t row_number, unsigned round,
                                            unsigned rounds, typename NearBatch<S>::Lines& lines) {
  constexpr unsigned in_line = LogitLine<S>::size, loads = NearBatch<S>::lines;
  constexpr unsigned in_place = 8;  // threads with adjacent loads
  const S* const row = static_cast<const S*>(call.logits) + row_number * call.row_stride;
  const LineMask<S> mask(call, row_number);
  const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(row) / sizeof(S) % in_line);
  const unsigned head = (in_line - place) % in_line;
  const unsigned count = (static_cast<unsigned>(call.categories) - head) / in_line;
  const unsigned places = rounds * loads * Shape::threads / in_place;
  const auto* const from = reinterpret_cast<const uint4*>(row + head);
  PAPILIO_UNROLL
  for (unsigned i = 0; i < loads; ++i) {
    const unsigned n = ((round * loads + i) * Shape::threads + threadIdx.x) / in_place;
    const unsigned first = static_cast<unsigned>(std::uint64_t{n} * (count - in_place) / (places - 1));
    const unsigned line = first + threadIdx.x % in_place;
    lines[i] = __builtin_bit_cast(LogitLine<S>, __ldg(from + line));
    if constexpr (masked) LineMask<S>::apply(mask.of_line(head + line * in_line), lines[i]);
  }
}

// Goes through the part of a row. `masked`: whether the rows have a mask; `stages`: batches in registers, one in use,
// the others being loaded.
template <class Shape, class S, bool masked, unsigned stages = 4 / NearBatch<S>::lines + 1>
class NearReader {
 public:
  static constexpr unsigned in_line = LogitLine<S>::size, at_once = NearBatch<S>::lines;
  static constexpr unsigned in_round = at_once * Shape::threads;  // lines

  // The part has the categories from `begin` to `end`.
  __device__ NearReader(const TokenCall& call, std::int64_t row_number, std::int64_t begin, std::int64_t end)
      : mask_(call, row_number) {
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

  // Calls take(lines, the category of the first, batch) for all batches, and before that edge(logit, category) if this
  // thread has a logit outside of the lines. All threads of a warp call `take` together. `backwards`: from the last
  // batch on, which may be in the L2 cache if the row was just read.
  template <bool backwards = false, class Take, class Edge>
  __device__ __forceinline__ void read(const Take& take, const Edge& edge) const {
    if (edge_ >= 0) edge(at_edge_, static_cast<std::uint32_t>(edge_));
    const unsigned batches = (lines_ + in_round - 1) / in_round;
    const auto batch_of = [&](unsigned n) { return backwards ? batches - 1 - n : n; };
    LogitLine<S> lines[stages][at_once];
    unsigned allowed[at_once];  // of the next batch
    if (masked && batches > 0) load_mask(allowed, batch_of(0));
    PAPILIO_UNROLL
    for (unsigned s = 0; s + 1 < stages; ++s)
      if (s < batches) load(lines[s], batch_of(s));
    for (unsigned first = 0; first < batches; first += stages) {
      PAPILIO_UNROLL
      for (unsigned s = 0; s < stages; ++s) {
        const unsigned n = first + s, ahead = n + stages - 1;
        if (n >= batches) break;
        if (ahead < batches) load(lines[(s + stages - 1) % stages], batch_of(ahead));
        if constexpr (masked) {
          PAPILIO_UNROLL
          for (unsigned i = 0; i < at_once; ++i) LineMask<S>::apply(allowed[i], lines[s][i]);
          if (n + 1 < batches) load_mask(allowed, batch_of(n + 1));
        }
        const unsigned batch = batch_of(n);
        take(lines[s], first_ + batch * in_round * in_line, batch);
      }
    }
  }

 private:
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
      for (unsigned i = 0; i < at_once; ++i) lines[i] = line_at(from_ + n + i * Shape::threads);
      return;
    }
    PAPILIO_UNROLL
    for (unsigned i = 0; i < at_once; ++i) {
      const unsigned line = n + i * Shape::threads;
      lines[i] = no_line();
      if (line + threadIdx.x < lines_) lines[i] = line_at(from_ + line);
    }
  }

  // The L1 cache, which has little room beside the shared memory, is left to what threads hold in local memory.
  static __device__ __forceinline__ LogitLine<S> line_at(const uint4* from) {
    return __builtin_bit_cast(LogitLine<S>, words_read_once(from));
  }

  __device__ __forceinline__ void load_mask(unsigned (&allowed)[at_once], unsigned batch) const {
    PAPILIO_UNROLL
    for (unsigned i = 0; i < at_once; ++i) {
      const unsigned line = batch * in_round + i * Shape::threads;
      allowed[i] = line + threadIdx.x < lines_ ? mask_.of_line(first_ + line * in_line) : 0;
    }
  }

  LineMask<S> mask_;
  const uint4* from_;       // the thread's first line
  unsigned first_;          // and its category
  unsigned lines_;          // of the part
  std::int32_t edge_ = -1;  // a category outside the lines that this thread reads
  float at_edge_ = -__builtin_inff();
};

// The lines of each thread in shared memory: registers cannot be indexed by a variable.
template <class Shape, class S>
class NearLines {
 public:
  static constexpr unsigned in_line = LogitLine<S>::size;

  __device__ __forceinline__ void store(const typename NearBatch<S>::Lines& lines) const {
    auto* const stored = reinterpret_cast<LogitLine<S>*>(near_memory<Shape>().lines) + threadIdx.x;
    PAPILIO_UNROLL
    for (unsigned i = 0; i < NearBatch<S>::lines; ++i) stored[i * Shape::threads] = lines[i];
  }
  // The thread's i-th logit, and its category from that of the thread's first.
  __device__ __forceinline__ NearLogit at(unsigned i, unsigned first) const {
    const unsigned* const words = near_memory<Shape>().lines + 4 * threadIdx.x;
    const unsigned lines_before = i / in_line;
    const unsigned word = words[i * sizeof(S) / 4 + lines_before * 4 * (Shape::threads - 1)];
    return {logit_in(word, i), first + i + lines_before * in_line * (Shape::threads - 1)};
  }

 private:
  // The n-th logit of a line, from the word that contains it.
  static __device__ __forceinline__ float logit_in(unsigned word, unsigned n) {
    if constexpr (sizeof(S) == 4)
      return __uint_as_float(word);
    else
      return n % 2 == 0 ? low_logit(word, S()) : high_logit(word, S());
  }
};

// Like atomicAdd, for which the compiler would first add over the warp, with more instructions.
template <class Shape>
__device__ __forceinline__ unsigned add_to_near_count(unsigned n) {
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

// Approximate powers of 2 of a batch, 2^(x high - top).
template <class S>
struct NearPowers {
  static constexpr unsigned size = NearBatch<S>::size, in_line = LogitLine<S>::size, sums = 8;
  // The additions of floats that a term goes through before it is part of a double.
  static constexpr int additions = static_cast<int>(size / sums) - 1 + 3;
  float high, top;

  __device__ __forceinline__ float of(float x) const { return rough_power(__fmaf_rn(x, high, -top)); }

  // Their sum over the logits below `least`. The others are `near`.
  __device__ __forceinline__ double sum_below(float least, const typename NearBatch<S>::Lines& lines,
                                              unsigned& near) const {
    float rest[sums];
    PAPILIO_UNROLL
    for (unsigned i = 0; i < size; ++i) {
      const float x = lines[i / in_line][i % in_line];
      const bool is_near = x >= least;
      near |= is_near ? 1u << i : 0u;
      const float power = of(x), term = is_near ? 0.0f : power;
      rest[i % sums] = i < sums ? term : rest[i % sums] + term;
    }
    return static_cast<double>(((rest[0] + rest[4]) + (rest[2] + rest[6])) +
                               ((rest[1] + rest[5]) + (rest[3] + rest[7])));
  }
};

// `summed`: whether the sum over the logits that are not collected is needed.
template <class Shape, class S, bool summed, bool masked>
class NearPart {
 public:
  __device__ NearPart(const TokenCall& call, std::int64_t row, std::int64_t begin, std::int64_t end, float least,
                      float high, float top)
      : reader_(call, row, begin, end), least_(least), powers_{high, top} {}

  // The sum of this thread's powers, or 0 if none is needed; NaN if a logit is NaN.
  __device__ __forceinline__ double read() const {
    double rest = 0;
    reader_.read([&](const Lines& lines, unsigned first, unsigned) { rest += take(lines, first); },
                 [&](float x, std::uint32_t category) { rest = take_edge(x, category); });
    return rest;
  }

 private:
  static constexpr unsigned size = NearBatch<S>::size, in_line = LogitLine<S>::size;
  using Lines = typename NearBatch<S>::Lines;

  // Collects the logits that reach the bound; returns the sum over the others. Called by all threads of a warp.
  __device__ __forceinline__ double take(const Lines& lines, unsigned first) const {
    double rest = 0;
    unsigned near = 0;
    if constexpr (summed) {
      rest = powers_.sum_below(least_, lines, near);
    } else {
      unsigned word = greatest_word(lines[0]);
      PAPILIO_UNROLL
      for (unsigned i = 1; i < NearBatch<S>::lines; ++i) word = greater_words(word, greatest_word(lines[i]), S());
      const float largest = largest_of_word(word, S());
      rest = largest != largest ? __builtin_nan("") : 0;
      if (largest >= least_) {
        PAPILIO_UNROLL
        for (unsigned i = 0; i < size; ++i) near |= lines[i / in_line][i % in_line] >= least_ ? 1u << i : 0u;
      }
    }
    // The compiler must not derive the bits again: the predicates would take too many registers.
    asm volatile("" : "+r"(near));
    collect(lines, near, first);
    __syncwarp();
    return rest;
  }

  __device__ __forceinline__ void collect(const Lines& lines, unsigned near, unsigned first) const {
    if (near == 0) return;
    const NearLines<Shape, S> stored;
    stored.store(lines);
    const auto count = static_cast<unsigned>(__popc(near));
    unsigned place = add_to_near_count<Shape>(count);
    if (place + count > Shape::capacity) near = 0;  // no room: the row will be left over
    for (; near != 0; near &= near - 1, ++place)
      near_logits<Shape>()[place] = stored.at(static_cast<unsigned>(__ffs(static_cast<int>(near))) - 1, first);
  }

  __device__ __noinline__ double take_edge(float x, std::uint32_t category) const {
    if (!(x >= least_)) return static_cast<double>(powers_.of(x));
    const unsigned place = add_to_near_count<Shape>(1);
    if (place < Shape::capacity) near_logits<Shape>()[place] = {x, category};
    return 0;
  }

  NearReader<Shape, S, masked> reader_;
  float least_;
  NearPowers<S> powers_;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
