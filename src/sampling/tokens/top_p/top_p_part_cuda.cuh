#pragma once

#include <cstdint>

#include "sampling/tokens/rough_power_cuda.cuh"
#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_cluster_cuda.cuh"
#include "sampling/tokens/weight_sums_cuda.cuh"
#include "sampling/tokens/window/top_p_window_cuda.cuh"

// A block's part of a row, which it reads twice: for the largest logit, and then to list the logits near the largest.
// Of the other logits the weights are summed roughly; usually this is enough to know which listed one is the last that
// top_p keeps. Flat rows are read once more: the logits of a window are listed, and all weights are summed exactly.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Blocks of few rows, two on a multiprocessor, and of more or longer rows, one. `listed`: the most logits that a block
// lists, of a part of up to `in_part`. A list has their entries from the part's first.
struct SmallTopP {
  static constexpr int threads = 512, warps = threads / 32, blocks = 2;
  static constexpr unsigned listed = 12032, in_part = 1u << 16;
  using Entry = std::uint16_t;
};
struct LargeTopP {
  static constexpr int threads = 1024, warps = threads / 32, blocks = 1;
  static constexpr unsigned listed = 21504, in_part = 1u << 18;
  using Entry = std::uint32_t;
};

template <class Shape>
struct TopPList {
  float logits[Shape::listed];
  typename Shape::Entry entries[Shape::listed];
};
extern __shared__ __align__(16) unsigned char top_p_list[];

// A cluster has 2^n blocks.
__device__ __forceinline__ unsigned cluster_bits() { return static_cast<unsigned>(__ffs(cluster::size())) - 1; }

// What a thread has found in the reading of a window.
struct TopPSums {
  std::uint64_t above = 0, other = 0;  // sums of weights, from the window's upper end on and of all others
  unsigned count_above = 0;
};

// Entries are the row's logits, and what precedes them within their first 16 bytes. A part is of whole lines. A warp's
// lines of a round are adjacent: a segment.
template <class Shape, class S, bool masked>
class TopPPart {
  static constexpr unsigned threads = Shape::threads, warps = Shape::warps;
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
      load(first, line);
      if (first == begin_line_) meanwhile();
      PAPILIO_UNROLL
      for (unsigned i = 0; i < in_round; ++i) PAPILIO_UNROLL
      for (unsigned w = 0; w < 4; ++w) most.words[w] = greater_words(most.words[w], line[i].words[w], S());
    }
    return largest_of_word(greatest_word(most), S());
  }

  static constexpr unsigned segment = in_round * 32 * in_line;  // entries
  // Each segment has a bucket, also those of an unfinished round.
  static_assert(Shape::in_part % (segment * warps) == 0 && Shape::in_part / segment <= threads);

  // Whether entries fit in the list. By of_block_, not by the lines of this block, so that all blocks agree.
  __device__ __forceinline__ bool can_list() const { return of_block_ * in_line <= Shape::in_part; }

  // The additions of floats that a term of `collect` goes through before it is part of a double.
  static constexpr int additions = static_cast<int>(steps) - 1 + 3;

  // Lists the thread's logits from `bound` on; `listed` counts them, also those for which there is no room. Returns the
  // sum of 2^(x high - top) over the others; `near` grows by roughly the sum over those that reach it. By all threads
  // of a warp. Loops are short, because code that runs once has to wait for its instructions; the lines of a round take
  // turns at being the first.
  __device__ __forceinline__ double collect(float bound, float high, float top, unsigned& listed, float& near) const {
    double rest = 0;
    PAPILIO_UNROLL_NONE
    for (unsigned first = begin_line_; first < end_line_; first += in_round * threads) {
      LogitLine<S> line[in_round];
      load(first, line);
      float sums[in_step] = {};
      unsigned reach = 0;
      PAPILIO_UNROLL_NONE
      for (unsigned step = 0; step < steps; ++step) {
        unsigned reached = 0;
        PAPILIO_UNROLL
        for (unsigned e = 0; e < in_step; ++e) {
          const float x = line[e / in_line][e % in_line], power = rough_power(__fmaf_rn(x, high, -top));
          reached |= (x >= bound ? 1u : 0u) << e;
          if (x >= bound)
            near += power;
          else
            sums[e] += power;
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

  // Lists the thread's logits of a window, and sums all weights. Those from its upper end on are summed by segments as
  // well. By all threads of a warp. Rows have more than 16,384 categories, so that a thread's weights of a round add up
  // to at most 2^52.
  __device__ __forceinline__ TopPSums collect_window(const TopPWindow& window, const TokenScale& scale,
                                                     unsigned& listed, unsigned (*segments)[2]) const {
    using Sums = WeightSums<S, in_step, true>;
    static_assert(Sums::lines == at_once && in_round * in_line <= 32);
    const Sums sums(scale);
    const float least = window.least, upper = window.upper;
    TopPSums found;
    unsigned segment_of_warp = warp_of_thread();
    PAPILIO_UNROLL_NONE
    for (unsigned first = begin_line_; first < end_line_; first += in_round * threads) {
      LogitLine<S> line[in_round];
      load(first, line);
      double all = sums.none(), above = all;
      unsigned reach = 0;
      PAPILIO_UNROLL_NONE
      for (unsigned step = 0; step < steps; ++step) {
        LogitLine<S> some[at_once];
        PAPILIO_UNROLL
        for (unsigned i = 0; i < at_once; ++i) some[i] = line[i];
        unsigned bit = 1, reached = 0;
        sums.each(some, [&](float x, double weight) {
          all = __dadd_rz(all, weight);
          const bool is_above = x >= upper;
          above = __dadd_rz(above, is_above ? weight : 0.0);
          found.count_above += is_above ? 1 : 0;
          reached |= !is_above && x >= least ? bit : 0;
          bit *= 2;
        });
        reach |= reached << (step * in_step);
        turn<at_once>(line);
      }
      const std::uint64_t here = sums.units(above);
      found.above += here;
      found.other += sums.units(all) - here;
      put_segment(here, segments[segment_of_warp]);
      segment_of_warp += warps;
      add_to_list(first, line, reach, listed);
    }
    return found;
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
      load(first, line);
      PAPILIO_UNROLL_NONE
      for (unsigned i = 0; i < in_round; ++i) {
        f(line[0], line_of(first, i) * in_line);
        turn<1>(line);
      }
    }
  }
  // Calls f(logit) for a sample of the part: up to three lines of a thread, at most one of four lines. Returns how many
  // logits the thread has in it.
  template <class F>
  __device__ __forceinline__ unsigned each_sampled(const F& f) const {
    const unsigned rounds = (end_line_ - begin_line_ - 1) / (in_round * threads) + 1;
    const unsigned step = max(1u, rounds / 2) * in_round * threads;
    unsigned count = 0;
    PAPILIO_UNROLL_NONE
    for (unsigned first = begin_line_; first < end_line_; first += step) {
      const unsigned n = line_of(first, 0);
      if (n >= end_line_) break;
      LogitLine<S> line = any_line(n);
      mask(n, line);
      PAPILIO_UNROLL
      for (unsigned e = 0; e < in_line; ++e) f(line[e]);
      count += in_line;
    }
    return count;
  }

  // A logit, -infinity outside the row and where it is not allowed.
  __device__ __forceinline__ float at(unsigned entry) const {
    return has(entry) ? logit_of(base_[entry]) : -__builtin_inff();
  }
  __device__ __forceinline__ std::int64_t category_of(unsigned entry) const {
    return static_cast<std::int64_t>(entry) - before_;
  }
  __device__ __forceinline__ std::int64_t categories() const { return call_.categories; }
  __device__ __forceinline__ unsigned begin() const { return begin_line_ * in_line; }
  __device__ __forceinline__ unsigned size() const { return (end_line_ - begin_line_) * in_line; }

 private:
  // Whether an entry is in the row and allowed.
  __device__ __forceinline__ bool has(unsigned entry) const {
    return entry >= before_ && entry < end_ && (!masked || is_allowed(call_, row_, category_of(entry)));
  }

  // The thread's i-th line of a round.
  static __device__ __forceinline__ unsigned line_of(unsigned first, unsigned i) {
    return first + static_cast<unsigned>(warp_of_thread()) * (32 * in_round) + static_cast<unsigned>(lane_of_thread()) +
           32 * i;
  }

  // The thread's lines of a round, with -infinity around the part.
  __device__ __forceinline__ void load(unsigned first, LogitLine<S> (&line)[in_round]) const {
    const unsigned end = first + in_round * threads;
    if (end <= end_line_ && first * in_line >= before_ && end * in_line <= end_) {
      PAPILIO_UNROLL
      for (unsigned i = 0; i < in_round; ++i) line[i] = whole(line_of(first, i));
    } else {
      PAPILIO_UNROLL
      for (unsigned i = 0; i < in_round; ++i) line[i] = any_line(line_of(first, i));
    }
    PAPILIO_UNROLL
    for (unsigned i = 0; i < in_round; ++i) mask(line_of(first, i), line[i]);
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

  // Writes the sum of a segment. By all threads of a warp; each has a sum of at most 2^52.
  static __device__ __forceinline__ void put_segment(std::uint64_t sum, unsigned (&of)[2]) {
    sum = sum_of_warp_by_halves(sum);
    if (lane_of_thread() == 0) of[0] = static_cast<unsigned>(sum), of[1] = static_cast<unsigned>(sum >> 32);
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
    unsigned entry = line_of(first - begin_line_, 0) * in_line;
    PAPILIO_UNROLL_NONE
    for (unsigned step = 0; step < steps; ++step) {
      PAPILIO_UNROLL
      for (unsigned e = 0; e < in_step; ++e)
        store_if(reach & 1u << e, logits, entries, line[e / in_line][e % in_line],
                 entry + e / in_line * 32 * in_line + e % in_line);
      reach >>= in_step;
      entry += at_once * 32 * in_line;
      turn<at_once>(line);
    }
  }

  // Stores a logit and its entry, and goes on to the next place, if `some` is not 0: without a branch, which would take
  // longer.
  static __device__ __forceinline__ void store_if(unsigned some, unsigned& logits, unsigned& entries, float x,
                                                  unsigned entry) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(typename Shape::Entry) == 2)
      asm volatile(
          "{.reg .pred p; .reg .b16 short; setp.ne.u32 p, %2, 0; cvt.u16.u32 short, %4; @p st.shared.f32 [%0], %3;"
          "@p st.shared.u16 [%1], short; @p add.u32 %0, %0, 4; @p add.u32 %1, %1, 2;}"
          : "+r"(logits), "+r"(entries)
          : "r"(some), "f"(x), "r"(entry)
          : "memory");
    else
      asm volatile(
          "{.reg .pred p; setp.ne.u32 p, %2, 0; @p st.shared.f32 [%0], %3; @p st.shared.u32 [%1], %4;"
          "@p add.u32 %0, %0, 4; @p add.u32 %1, %1, 4;}"
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
