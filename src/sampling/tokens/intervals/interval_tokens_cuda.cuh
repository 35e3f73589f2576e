#pragma once

#include <cstdint>

#include "execution/cuda/dependent_launch.cuh"
#include "sampling/tokens/rough_power_cuda.cuh"
#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/token_interval.h"
#include "sampling/tokens/weight_sums_cuda.cuh"

// Draws of tokens alone, without filters: one reading of a row from device memory. The blocks of a cluster share a row.
// Each sums the weights of its segments roughly; where that leaves one category alone, the segment that has it is read
// again. Where it does not, all segments are, and summed exactly.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int interval_threads = 256, interval_blocks = 4;  // of a multiprocessor
inline constexpr unsigned interval_warps = interval_threads / 32;
inline constexpr unsigned most_segments = 1024;  // of a block

union SegmentSum {
  RoughSum rough;
  std::uint64_t exact;
};

struct IntervalMemory {
  ClusterExchange<2> rough;    // the largest logit of a block, and its sum
  ClusterExchange<1> verdict;  // of the block that has the target: whether the token is certain
  ClusterExchange<1> exact;    // sums
  unsigned largest_of_block;
  float largest;
  int outcome;
  TokenScale scale;
  std::uint64_t number;  // of the draw
  SegmentSum segments[most_segments];
  alignas(16) unsigned char stage[tile_loads * 32 * 16];  // of one warp
};

// The tiles of a block in segments.
struct Segments {
  unsigned first, end;  // tiles
  unsigned in_segment;  // tiles
  unsigned count;       // segments

  __device__ __forceinline__ unsigned first_tile(unsigned segment) const { return first + segment * in_segment; }
  __device__ __forceinline__ unsigned end_tile(unsigned segment) const {
    return min(end, first_tile(segment) + in_segment);
  }
  // The next tile of a warp, whose segment may be another; `count` after the last.
  __device__ __forceinline__ unsigned tile_after(unsigned tile, unsigned& segment) const {
    if (tile + 1 < end_tile(segment)) return tile + 1;
    segment = min(count, segment + interval_warps);
    return first_tile(segment);
  }
};

// A row's draw, once.
template <class S>
class IntervalDraw {
 public:
  __device__ IntervalDraw(const TokenCall& call, IntervalMemory& memory, std::int64_t row)
      : call_(call), memory_(memory), row_(row), tiles_(call, row) {
    const unsigned tiles = tiles_.count(), blocks = static_cast<unsigned>(cluster::size());
    const unsigned of_block = (tiles + blocks - 1) >> (__ffs(static_cast<int>(blocks)) - 1);  // a power of 2
    const unsigned first = min(tiles, static_cast<unsigned>(cluster::rank()) * of_block);
    const unsigned end = min(tiles, first + of_block), in_segment = (of_block + most_segments - 1) / most_segments;
    segments_ = {first, end, in_segment, in_segment == 1 ? end - first : (end - first + in_segment - 1) / in_segment};
    of_lane_ = (segments_.count + 31) / 32;
  }

  __device__ void draw(const TokenFilter& filter) {
    LogitLine<S> lines[tile_loads];
    if (first_of_warp() < segments_.count) tiles_.load(segments_.first_tile(first_of_warp()), lines);
    if (threadIdx.x == 0) {
      memory_.largest_of_block = 0;
      memory_.rough.init(cluster::size());
      memory_.verdict.init(1);
      memory_.exact.init(cluster::size());
      arrival::init_done();
    }
    cluster::begin();
    if (threadIdx.x == 32) memory_.scale = token_scale(0, filter.temperature, token_unit_bits(call_.categories));
    if (threadIdx.x == 64) memory_.number = draw_number_of_row(call_, row_);
    __syncthreads();
    scale_ = memory_.scale;
    sum_roughly(lines);
    __syncthreads();
    cluster::begun();
    PAPILIO_UNROLL_NONE
    for (int round = 0; round < 2; ++round) {
      if (round == 1) {
        scale_.largest = memory_.largest;
        sum_exactly();
        __syncthreads();
      }
      if (warp_of_thread() == 0) {
        const Place place = round == 0 ? place_roughly(lines) : place_exactly(lines);
        const bool found = place.here && put_token(place, lines);
        if (round == 1) return;
        settle(place, found);
      }
      __syncthreads();
      if (memory_.outcome != ambiguous) break;
    }
    if (memory_.outcome == none && cluster::rank() == 0) put_nothing(call_, row_, memory_.largest);
  }

 private:
  enum Outcome { certain, ambiguous, none };

  // Where the token is: in a segment of this block, with these bounds of the target in it, if `here`.
  struct Place {
    int owner;  // the block that has it, or says that nobody knows; -1 if the row has no token
    bool here;
    unsigned segment;
    std::uint64_t low, high;
  };

  static constexpr unsigned in_line = LogitLine<S>::size;

  __device__ __forceinline__ int additions() const {
    return static_cast<int>(segments_.in_segment * tile_loads + (in_line == 4 ? 2 : 3));
  }

  static __device__ unsigned first_of_warp() { return static_cast<unsigned>(warp_of_thread()); }

  // What a warp has of its tiles.
  struct RoughState {
    float largest, top;
    float sums[in_line];
    unsigned segment, tile;
  };

  // Takes a tile's logits while the next tile is loaded; false after the last.
  __device__ __forceinline__ bool take_and_load(RoughState& state, const LogitLine<S> (&lines)[tile_loads],
                                                LogitLine<S> (&next_lines)[tile_loads]) {
    unsigned segment = state.segment;
    const unsigned next = segments_.tile_after(state.tile, segment);
    if (segment < segments_.count) tiles_.load(next, next_lines);
    take(lines, state.largest, state.top, state.sums);
    if (segment != state.segment) {
      put_segment(state.segment, state.sums, state.top);
      PAPILIO_UNROLL
      for (float& sum : state.sums) sum = 0;
    }
    state.segment = segment;
    state.tile = next;
    return segment < segments_.count;
  }

  // Rough sums of the segments, `lines` being the first ones, and the largest logit; NaN if there is one.
  __device__ __forceinline__ void sum_roughly(LogitLine<S> (&lines)[tile_loads]) {
    RoughState state = {-__builtin_inff(), lowest_top, {}, first_of_warp(), segments_.first_tile(first_of_warp())};
    LogitLine<S> others[tile_loads];
    if (state.segment < segments_.count)
      while (take_and_load(state, lines, others) && take_and_load(state, others, lines)) {
      }
    const float largest = state.largest;
    const unsigned mine = __reduce_max_sync(whole_warp, largest != largest ? ~0u : token_order(largest + 0.0f));
    if (lane_of_thread() == 0) atomicMax(&memory_.largest_of_block, mine);
  }

  __device__ __forceinline__ void take(const LogitLine<S> (&lines)[tile_loads], float& largest, float& top,
                                       float (&sums)[in_line]) const {
    const float here = largest_of(lines);
    largest = greater_or_nan(largest, here);
    if (__any_sync(whole_warp, !(__fmaf_rn(here, scale_.high, -top) <= most_above_top) ? 1 : 0) != 0)
      raise(here, top, sums);
    PAPILIO_UNROLL
    for (unsigned i = 0; i < tile_loads; ++i) {
      PAPILIO_UNROLL
      for (unsigned e = 0; e < in_line; ++e) sums[e] += rough_power(__fmaf_rn(lines[i][e], scale_.high, -top));
    }
  }

  // The sum of what the threads of a warp have.
  __device__ __forceinline__ void put_segment(unsigned segment, float (&sums)[in_line], float top) const {
    PAPILIO_UNROLL
    for (unsigned half = in_line / 2; half > 0; half /= 2) {
      PAPILIO_UNROLL
      for (unsigned e = 0; e < half; ++e) sums[e] += sums[e + half];
    }
    const double sum = sum_of_warp(static_cast<double>(sums[0]));
    if (lane_of_thread() == 0) memory_.segments[segment].rough = {static_cast<float>(sum), top};
  }

  // Makes the top that of a larger logit.
  __device__ void raise(float largest, float& top, float (&sums)[in_line]) const {
    PAPILIO_UNROLL
    for (int distance = 16; distance > 0; distance /= 2)
      largest = greater_or_nan(largest, __shfl_xor_sync(whole_warp, largest, distance));
    const float raised = top_of(largest, scale_.high);
    const auto down = static_cast<float>(power_of_two(top - raised));
    PAPILIO_UNROLL
    for (float& sum : sums) sum *= down;
    top = raised;
  }

  __device__ float top_of_order(std::uint64_t order) const {
    return top_of(logit_of_order(static_cast<unsigned>(order)), scale_.high);
  }

  // One warp: joins the rough sums. `here` only where they say which segment it is; its first tile is then in `lines`.
  __device__ __forceinline__ Place place_roughly(LogitLine<S> (&lines)[tile_loads]) {
    const float top_of_block = top_of_order(memory_.largest_of_block);
    double mine = 0;
    for (unsigned n = 0; n < of_lane_; ++n) mine += segment_in_units(n, top_of_block);
    const double to_lane = sum_to_lane(mine);
    memory_.rough.tell(0, memory_.largest_of_block);
    memory_.rough.tell(1, __builtin_bit_cast(std::uint64_t, __shfl_sync(whole_warp, to_lane, 31)));
    memory_.rough.wait_warp();
    const std::uint64_t order = memory_.rough.of_lane(0);
    const float largest = logit_of_order(__reduce_max_sync(whole_warp, static_cast<unsigned>(order)));
    if (lane_of_thread() == 0) memory_.largest = largest;
    if (!(largest < __builtin_inff()) || largest == -__builtin_inff()) return {-1, false, 0, 0, 0};
    scale_.largest = largest;
    const float top = top_of(largest, scale_.high);
    const double block = lane_of_thread() < cluster::size() ? __builtin_bit_cast(double, memory_.rough.of_lane(1)) *
                                                                  power_of_two(top_of_order(order) - top)
                                                            : 0;
    const double to_block = sum_to_lane(block), total = __shfl_sync(whole_warp, to_block, 31);
    const double u = rough_number(memory_.number);
    double offset = u * total;
    const unsigned blocks = __ballot_sync(whole_warp, offset < to_block);
    if (blocks == 0 || !has_tops(largest, scale_.high)) return {0, false, 0, 0, 0};
    const int owner = __ffs(static_cast<int>(blocks)) - 1;
    if (owner != cluster::rank()) return {owner, false, 0, 0, 0};
    offset -= __shfl_sync(whole_warp, to_block - block, owner);
    const double scaled = power_of_two(top_of_block - top);  // a unit of the block's sums
    const unsigned lanes = __ballot_sync(whole_warp, offset < to_lane * scaled);
    if (lanes == 0) return {owner, false, 0, 0, 0};
    const int lane = __ffs(static_cast<int>(lanes)) - 1;
    offset -= __shfl_sync(whole_warp, to_lane - mine, lane) * scaled;
    unsigned segment = static_cast<unsigned>(lane) * of_lane_;
    for (const unsigned last = min(segments_.count, segment + of_lane_) - 1; segment < last; ++segment) {
      const double here = in_units(memory_.segments[segment].rough, top_of_block) * scaled;
      if (offset < here) break;
      offset -= here;
    }
    tiles_.load(segments_.first_tile(segment), lines);
    const RoughUnit unit = rough_unit(scale_, call_.categories, additions());
    const RoughTarget target = rough_target(offset, rough_error(u, total, u * total - offset, unit), unit);
    return {owner, target.inside, segment, target.low, target.high};
  }

  // One warp: the block that may have the token sends to all whether it has.
  __device__ __forceinline__ void settle(const Place& place, bool found) {
    Outcome outcome = none;
    if (place.owner >= 0) {
      if (place.owner == cluster::rank()) memory_.verdict.tell(0, found ? certain : ambiguous);
      memory_.verdict.wait_warp();
      outcome = static_cast<Outcome>(memory_.verdict.of[0][place.owner]);
    }
    if (lane_of_thread() == 0) memory_.outcome = outcome;
  }

  // The sum of this thread's n-th segment; 0 if there is none.
  __device__ double segment_in_units(unsigned n, float top) const {
    const unsigned segment = static_cast<unsigned>(lane_of_thread()) * of_lane_ + n;
    return segment < segments_.count ? in_units(memory_.segments[segment].rough, top) : 0;
  }

  // One warp: writes the category of a segment that has both targets in its interval, if there is one.
  __device__ __forceinline__ bool put_token(const Place& place, LogitLine<S> (&lines)[tile_loads]) const {
    std::uint64_t low = place.low, high = place.high;
    LogitLine<S>* const stage = reinterpret_cast<LogitLine<S>*>(memory_.stage) + lane_of_thread();
    for (unsigned tile = segments_.first_tile(place.segment); tile < segments_.end_tile(place.segment); ++tile) {
      if (tile != segments_.first_tile(place.segment)) tiles_.load(tile, lines);
      PAPILIO_UNROLL
      for (unsigned i = 0; i < tile_loads; ++i) stage[32 * i] = lines[i];
      PAPILIO_UNROLL_NONE
      for (unsigned i = 0; i < tile_loads; ++i) {
        const LogitLine<S> line = stage[32 * i];
        std::uint64_t to[in_line], sum = 0;
        PAPILIO_UNROLL
        for (unsigned e = 0; e < in_line; ++e) to[e] = sum = plus_weight(sum, digits_of(line[e], scale_));
        const std::uint64_t to_lane = sum_to_lane(sum), before = to_lane - sum;
        int found = -1;
        PAPILIO_UNROLL
        for (unsigned e = 0; e < in_line; ++e)
          if (low >= before + (e == 0 ? 0 : to[e == 0 ? 0 : e - 1]) && high < before + to[e])
            found = static_cast<int>(e);
        const std::uint64_t here = __shfl_sync(whole_warp, to_lane, 31);
        if (low < here) {
          if (found >= 0) {
            call_.tokens[row_] = tiles_.category_of(tiles_.entry(tile, i) + static_cast<unsigned>(found));
            put(call_.status, row_, TokenStatus::ok);
          }
          return __any_sync(whole_warp, found >= 0 ? 1 : 0) != 0;
        }
        low -= here;
        high -= here;
      }
    }
    return false;
  }

  __device__ __forceinline__ void sum_exactly() {
    for (unsigned segment = first_of_warp(); segment < segments_.count; segment += interval_warps) {
      std::uint64_t sum = 0;
      for (unsigned tile = segments_.first_tile(segment); tile < segments_.end_tile(segment); ++tile) {
        LogitLine<S> lines[tile_loads];
        tiles_.load(tile, lines);
        PAPILIO_UNROLL
        for (unsigned i = 0; i < tile_loads; ++i) {
          PAPILIO_UNROLL
          for (unsigned e = 0; e < in_line; ++e) sum = plus_weight(sum, digits_of(lines[i][e], scale_));
        }
      }
      sum = sum_of_warp(sum);
      if (lane_of_thread() == 0) memory_.segments[segment].exact = sum;
    }
  }

  // The same with the exact sums.
  __device__ __forceinline__ Place place_exactly(LogitLine<S> (&lines)[tile_loads]) {
    std::uint64_t mine = 0;
    for (unsigned n = 0; n < of_lane_; ++n) {
      const unsigned segment = static_cast<unsigned>(lane_of_thread()) * of_lane_ + n;
      mine += segment < segments_.count ? memory_.segments[segment].exact : 0;
    }
    const std::uint64_t to_lane = sum_to_lane(mine);
    memory_.exact.tell(0, __shfl_sync(whole_warp, to_lane, 31));
    memory_.exact.wait_warp();
    const std::uint64_t block = memory_.exact.of_lane(0), to_block = sum_to_lane(block);
    std::uint64_t target = token_target(memory_.number, __shfl_sync(whole_warp, to_block, 31));
    const int owner = lane_of_target(block, to_block, target);
    if (owner != cluster::rank()) return {owner, false, 0, 0, 0};
    unsigned segment = static_cast<unsigned>(lane_of_target(mine, to_lane, target)) * of_lane_;
    for (std::uint64_t here; target >= (here = memory_.segments[segment].exact); ++segment) target -= here;
    tiles_.load(segments_.first_tile(segment), lines);
    return {owner, true, segment, target, target};
  }

  const TokenCall& call_;
  IntervalMemory& memory_;
  std::int64_t row_;
  RowTiles<S> tiles_;
  Segments segments_;  // of this block
  unsigned of_lane_;   // segments that a lane of the first warp looks at
  TokenScale scale_ = {};
};

// The first blocks of a multiprocessor begin one after another. By all threads of a block.
__device__ __forceinline__ void wait_for_turn(const TokenCall& call) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  if (call.turn_cycles == 0 || blockIdx.x >= interval_blocks * static_cast<unsigned>(call.turn_blocks)) return;
  const long long begin = clock64();
  const unsigned turn = blockIdx.x / static_cast<unsigned>(call.turn_blocks);
  const long long cycles = static_cast<long long>(turn) * call.turn_cycles;
  while (clock64() - begin < cycles) __nanosleep(100);
#endif
}

// A cluster has one row.
template <class S>
__global__ void __launch_bounds__(interval_threads, interval_blocks)
    draw_tokens_by_intervals(const __grid_constant__ TokenCall call) {
  __shared__ IntervalMemory memory;
  execution::let_next_kernel_come();
  const std::int64_t row = blockIdx.x >> (__ffs(cluster::size()) - 1);
  const TokenFilter filter = filter_of_row(call, row);
  if (way_of(call, filter) != TokenWay::by_intervals) return;
  wait_for_turn(call);
  IntervalDraw<S>(call, memory, row).draw(filter);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
