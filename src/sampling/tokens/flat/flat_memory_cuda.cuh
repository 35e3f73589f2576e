#pragma once

#include <cstdint>

#include "sampling/tokens/near/near_buckets_cuda.cuh"
#include "sampling/tokens/near/near_part_cuda.cuh"
#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/window/top_p_window_cuda.cuh"

// Flat rows: those of which top_p keeps more logits than a block can collect. They are read twice. After the first
// reading the largest logit and the sum of all weights are known, and a sample says between which two logits top_p
// cuts. The second reading sums the weights of larger logits and collects those between the two.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr unsigned most_segments = 192;  // of a row

// Then 16 weights add up to at most 2^52.
static_assert(least_flat >= 16384);

// What is known of a row: its largest logit, and roughly the sum of its weights, in units of the weight of that logit.
struct FlatKnown {
  float largest, mass;
  bool is_known;
};

// It takes the place of the last collected logits.
struct FlatMemory {
  alignas(16) unsigned segments[most_segments][2];  // two halves of 64-bit sums: weights from `upper` on
  std::uint64_t between_of[most_blocks];            // of each block: exact sums of other weights
  double rough_of[most_blocks];                     // and a rough one of the rest
  unsigned above_of[most_blocks], orders_of[most_blocks];
  TopPWindow window;
  WindowMemory guess;
  bool are_few;   // flat rows in the call
  unsigned kept;  // of the window
};

template <class Shape>
inline constexpr unsigned flat_capacity = Shape::capacity - (sizeof(FlatMemory) + 15) / 16 * 2;

template <class Shape>
__device__ __forceinline__ FlatMemory& flat_memory() {
  static_assert(flat_capacity<Shape> % 2 == 0);
  return *reinterpret_cast<FlatMemory*>(near_logits<Shape>() + flat_capacity<Shape>);
}

// The segments of a row, for which weights are summed: a batch each. The first of a part also has what precedes the
// part's first line.
template <class Shape>
class FlatSegments {
 public:
  static constexpr unsigned size = 16 * Shape::threads;

  template <class S>
  __device__ __forceinline__ FlatSegments(const TokenCall& call, std::int64_t row, S)
      : in_slice_(static_cast<unsigned>(call.in_slice)), categories_(static_cast<unsigned>(call.categories)) {
    const S* const first = static_cast<const S*>(call.logits) + row * call.row_stride;
    constexpr unsigned in_line = LogitLine<S>::size;
    // Parts begin at multiples of 8 categories.
    const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first) / sizeof(S) % in_line);
    head_ = (in_line - place) % in_line;
  }

  __device__ __forceinline__ unsigned of_part() const { return in_slice_ / size + 1; }
  __device__ __forceinline__ unsigned first_of(int part) const { return static_cast<unsigned>(part) * of_part(); }
  __device__ __forceinline__ unsigned of(unsigned category) const {
    const unsigned part = category / in_slice_, n = category - part * in_slice_;
    return part * of_part() + (n < head_ ? 0 : (n - head_) / size);
  }
  // The first category of a segment, which may be behind its part's last one.
  __device__ __forceinline__ unsigned begin(unsigned segment) const {
    const unsigned part = segment / of_part(), n = segment - part * of_part();
    return min(part * in_slice_ + min(in_slice_, n == 0 ? 0 : head_ + n * size), categories_);
  }

 private:
  unsigned in_slice_, categories_, head_;
};

// Where weights are computed exactly, and for floats, there are no registers for batches that are being loaded.
template <class Shape, class S, bool masked, bool exact>
using FlatReader = NearReader<Shape, S, masked, exact || sizeof(S) == 4 ? 1 : 2>;

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
