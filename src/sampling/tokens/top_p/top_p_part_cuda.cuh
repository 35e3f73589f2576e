#pragma once

#include <cstdint>

#include "sampling/tokens/rough_power_cuda.cuh"
#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_cluster_cuda.cuh"
#include "sampling/tokens/weight_sums_cuda.cuh"

// A block's part of a row, which it reads twice: for the largest logit, and then to list the logits near the largest.
// Of the other logits the weights are summed roughly; usually this is enough to know which listed one is the last that
// top_p keeps.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Blocks of few rows, two on a multiprocessor, and of more rows, one. `listed`: the most logits that a block lists.
struct SmallTopP {
  static constexpr int threads = 512, warps = threads / 32, blocks = 2;
  static constexpr unsigned listed = 12032;
};
struct LargeTopP {
  static constexpr int threads = 1024, warps = threads / 32, blocks = 1;
  static constexpr unsigned listed = 28672;
};

template <class Shape>
struct TopPList {
  float logits[Shape::listed];
  std::uint16_t entries[Shape::listed];  // from the part's first
};
extern __shared__ __align__(16) unsigned char top_p_list[];

// A cluster has 2^n blocks.
__device__ __forceinline__ unsigned cluster_bits() { return static_cast<unsigned>(__ffs(cluster::size())) - 1; }

// Entries are the row's logits, and what precedes them within their first 16 bytes. A part is of whole lines.
template <class Shape, class S, bool masked>
class TopPPart {
  static constexpr unsigned threads = Shape::threads;
  // A thread loads the lines of a round together, and takes so many logits in a step.
  static constexpr unsigned in_round = 4, in_step = 8, in_line = LogitLine<S>::size, at_once = in_step / in_line,
                            steps = in_round / at_once;

 public:
  __device__ __forceinline__ TopPPart(const TokenCall& call, std::int64_t row)
      : call_(call), row_(row), list_(*reinterpret_cast<TopPList<Shape>*>(top_p_list)) {
    const S* const first = static_cast<const S*>(call.logits) + row * call.row_stride;
    before_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first) / sizeof(S) % in_line);
    base_ = first - before_;
    end_ = before_ + static_cast<unsigned>(call.categories);
    const unsigned lines = (end_ - 1) / in_line + 1;
    of_block_ = ((lines - 1) >> cluster_bits()) + 1;
    begin_line_ = min(lines, of_block_ * static_cast<unsigned>(cluster::rank()));
    end_line_ = min(lines, begin_line_ + of_block_);
  }

  // The largest logit of the thread; NaN if it has one. `meanwhile` is done while the first lines are on their way.
  template <class F>
  __device__ __forceinline__ float largest(const F& meanwhile) const {
    LogitLine<S> most = LogitLine<S>::empty();
    PAPILIO_UNROLL_NONE
    for (unsigned first = begin_line_; first < end_line_; first += in_round * threads) {
      LogitLine<S> line[in_round];
      load<in_round>(first, line);
      if (first == begin_line_) meanwhile();
      PAPILIO_UNROLL
      for (unsigned i = 0; i < in_round; ++i) PAPILIO_UNROLL
      for (unsigned w = 0; w < 4; ++w) most.words[w] = greater_words(most.words[w], line[i].words[w], S());
    }
    return largest_of_word(greatest_word(most), S());
  }

  // Whether an entry's number fits in the 16 bits of the list. By of_block_, not by the lines of this block, so that
  // all blocks agree.
  __device__ __forceinline__ bool has_list() const { return of_block_ * in_line <= 65536; }

  // The additions of floats that a term of `collect` goes through before it is part of a double.
  static constexpr int additions = static_cast<int>(steps) - 1 + 3;

  // Lists the thread's logits from `bound` on; `listed` counts them, also those for which there is no room. Returns the
  // sum of 2^(x high - top) over the others. By all threads of a warp. Loops are short, because code that runs once has
  // to wait for its instructions; the lines of a round take turns at being the first.
  __device__ __forceinline__ double collect(float bound, float high, float top, unsigned& listed) const {
    double rest = 0;
    PAPILIO_UNROLL_NONE
    for (unsigned first = begin_line_; first < end_line_; first += in_round * threads) {
      LogitLine<S> line[in_round];
      load<in_round>(first, line);
      float sums[in_step] = {};
      unsigned reach = 0;
      PAPILIO_UNROLL_NONE
      for (unsigned step = 0; step < steps; ++step) {
        unsigned reached = 0;
        PAPILIO_UNROLL
        for (unsigned e = 0; e < in_step; ++e) {
          const float x = line[e / in_line][e % in_line], power = rough_power(__fmaf_rn(x, high, -top));
          reached |= (x >= bound ? 1u : 0u) << e;
          sums[e] += x >= bound ? 0.0f : power;
        }
        reach |= reached << (step * in_step);
        turn<at_once>(line);
      }
      rest += static_cast<double>(((sums[0] + sums[4]) + (sums[2] + sums[6])) +
                                  ((sums[1] + sums[5]) + (sums[3] + sums[7])));
      add_to_list(first, line, reach, listed);
    }
    return rest;
  }

  // The exact sum of the thread's weights below `bound`. Called rarely.
  __device__ __forceinline__ std::uint64_t sum_below(float bound, const TokenScale& scale) const {
    std::uint64_t sum = 0;
    each([&](float x, unsigned) { sum += x < bound ? weight_of(x, scale) : 0; });
    return sum;
  }

  // Calls f(logit, entry) for the listed logits, which `workers` threads share.
  template <unsigned workers = threads, class F>
  __device__ __forceinline__ void each_listed(unsigned listed, const F& f) const {
    if (threadIdx.x >= workers) return;
    for (unsigned n = threadIdx.x; n < listed; n += workers) f(list_.logits[n], begin() + list_.entries[n]);
  }
  // The same for all logits.
  template <class F>
  __device__ __forceinline__ void each(const F& f) const {
    each_line([&](const LogitLine<S>& line, unsigned entry) {
      PAPILIO_UNROLL
      for (unsigned e = 0; e < in_line; ++e) f(line[e], entry + e);
    });
  }
  // Calls f(line, its first entry) for all lines.
  template <class F>
  __device__ __forceinline__ void each_line(const F& f) const {
    PAPILIO_UNROLL_NONE
    for (unsigned first = begin_line_; first < end_line_; first += in_round * threads) {
      LogitLine<S> line[in_round];
      load<in_round>(first, line);
      PAPILIO_UNROLL_NONE
      for (unsigned i = 0; i < in_round; ++i) {
        f(line[0], (first + threadIdx.x + i * threads) * in_line);
        turn<1>(line);
      }
    }
  }
  // Whether a line is in the sample, which has one line in in_sample_of().
  __device__ __forceinline__ bool in_sample(unsigned entry) const {
    return (entry / in_line - begin_line_) / threads % in_sample_of() == 0;
  }
  __device__ __forceinline__ unsigned in_sample_of() const {
    constexpr unsigned of_thread = 2;
    return max(1u, (end_line_ - begin_line_) / (of_thread * threads));
  }

  // A logit, -infinity outside the row and where it is not allowed.
  __device__ __forceinline__ float at(unsigned entry) const {
    return has(entry) ? logit_of(base_[entry]) : -__builtin_inff();
  }
  __device__ __forceinline__ std::int64_t category_of(unsigned entry) const {
    return static_cast<std::int64_t>(entry) - before_;
  }
  __device__ __forceinline__ unsigned begin() const { return begin_line_ * in_line; }
  __device__ __forceinline__ unsigned size() const { return (end_line_ - begin_line_) * in_line; }

 private:
  // Whether an entry is in the row and allowed.
  __device__ __forceinline__ bool has(unsigned entry) const {
    return entry >= before_ && entry < end_ && (!masked || is_allowed(call_, row_, category_of(entry)));
  }

  // Lines of this thread from a line of the block on, with -infinity around the part.
  template <unsigned at_once>
  __device__ __forceinline__ void load(unsigned first, LogitLine<S> (&line)[at_once]) const {
    const unsigned end = first + at_once * threads, mine = first + threadIdx.x;
    if (end <= end_line_ && first * in_line >= before_ && end * in_line <= end_) {
      PAPILIO_UNROLL
      for (unsigned i = 0; i < at_once; ++i) line[i] = whole(mine + i * threads);
    } else {
      PAPILIO_UNROLL
      for (unsigned i = 0; i < at_once; ++i) line[i] = any_line(mine + i * threads);
    }
    PAPILIO_UNROLL
    for (unsigned i = 0; i < at_once; ++i) mask(mine + i * threads, line[i]);
  }
  // Applies the mask to a line of the row, if all of it is in the row.
  __device__ __forceinline__ void mask(unsigned n, LogitLine<S>& line) const {
    if constexpr (masked) {
      const unsigned entry = n * in_line;
      if (is_whole(entry))
        LineMask<S>::apply(LineMask<S>(call_, row_).of_line(static_cast<unsigned>(category_of(entry))), line);
    }
  }
  __device__ __forceinline__ bool is_whole(unsigned entry) const { return entry >= before_ && entry + in_line <= end_; }
  __device__ __forceinline__ LogitLine<S> whole(unsigned line) const {
    return __builtin_bit_cast(LogitLine<S>,
                              __ldg(reinterpret_cast<const uint4*>(base_) + static_cast<std::size_t>(line)));
  }
  __device__ __forceinline__ LogitLine<S> any_line(unsigned line) const {
    if (line >= end_line_) return LogitLine<S>::empty();
    const unsigned entry = line * in_line;
    if (is_whole(entry)) return whole(line);
    LogitLine<S> made;
    PAPILIO_UNROLL
    for (unsigned e = 0; e < in_line; ++e) made.put(e, has(entry + e) ? base_[entry + e] : minus_infinity<S>());
    return made;
  }

  template <unsigned by>
  static __device__ __forceinline__ void turn(LogitLine<S> (&line)[in_round]) {
    LogitLine<S> next[in_round];
    PAPILIO_UNROLL
    for (unsigned i = 0; i < in_round; ++i) next[i] = line[(i + by) % in_round];
    PAPILIO_UNROLL
    for (unsigned i = 0; i < in_round; ++i) line[i] = next[i];
  }

  // Adds those logits of a round whose bits are set. By all threads of a warp.
  __device__ __forceinline__ void add_to_list(unsigned first, LogitLine<S> (&line)[in_round], unsigned reach,
                                              unsigned& listed) const {
    const auto mine = static_cast<unsigned>(__popc(reach));
    const unsigned to = sum_to_lane(mine), of_warp = __shfl_sync(whole_warp, to, 31);
    if (of_warp == 0) return;
    unsigned place = 0;
    if (lane_of_thread() == 0) place = atomicAdd(&listed, of_warp);
    place = __shfl_sync(whole_warp, place, 0);
    if (place + of_warp > Shape::listed) return;
    place += to - mine;
    unsigned logits = arrival::address(list_.logits + place), entries = arrival::address(list_.entries + place);
    unsigned entry = (first - begin_line_ + threadIdx.x) * in_line;
    PAPILIO_UNROLL_NONE
    for (unsigned step = 0; step < steps; ++step) {
      PAPILIO_UNROLL
      for (unsigned e = 0; e < in_step; ++e)
        store_if(reach & 1u << e, logits, entries, line[e / in_line][e % in_line],
                 entry + e / in_line * threads * in_line + e % in_line);
      reach >>= in_step;
      entry += at_once * threads * in_line;
      turn<at_once>(line);
    }
  }

  // Stores a logit and its entry, and goes on to the next place, if `some` is not 0: without a branch, which would take
  // longer.
  static __device__ __forceinline__ void store_if(unsigned some, unsigned& logits, unsigned& entries, float x,
                                                  unsigned entry) {
#if defined(__CUDA_ARCH__)
    asm volatile(
        "{.reg .pred p; .reg .b16 short; setp.ne.u32 p, %2, 0; cvt.u16.u32 short, %4; @p st.shared.f32 [%0], %3;"
        "@p st.shared.u16 [%1], short; @p add.u32 %0, %0, 4; @p add.u32 %1, %1, 2;}"
        : "+r"(logits), "+r"(entries)
        : "r"(some), "f"(x), "r"(entry)
        : "memory");
#endif
  }

  const TokenCall& call_;
  std::int64_t row_;
  TopPList<Shape>& list_;
  const S* base_;  // a multiple of 16 bytes
  unsigned before_, end_, of_block_, begin_line_, end_line_;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
