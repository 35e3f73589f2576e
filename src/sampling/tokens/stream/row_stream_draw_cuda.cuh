#pragma once

#include <cstdint>

#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/stream/row_stream_memory_cuda.cuh"
#include "sampling/tokens/token_weights_cuda.cuh"

// Draws from the sums of a stream of rows, each row's by one warp of each block of a cluster.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

// What a thread has of a row.
template <class S, unsigned lines_of_thread>
struct ThreadPart {
  static constexpr unsigned in_line = LogitLine<S>::size, lines = lines_of_thread, logits = lines * in_line;
  // A rough sum begins as this many partial sums.
  static constexpr unsigned sums = 16;
  static constexpr int additions = static_cast<int>(logits / sums - 1 + 4);
};

__device__ __forceinline__ float rough_top(unsigned order, float scale) {
  return fmaxf(top_of(logit_of_order(order), scale), lowest_top);
}

template <class S, bool alone, unsigned lines>
class StreamDraw {
  using Part = ThreadPart<S, lines>;

 public:
  // Of the part of `count` logits from `begin` on. The scale in memory is known.
  __device__ StreamDraw(const TokenCall& call, StreamMemory<alone>& memory, std::int64_t begin, unsigned count)
      : call_(call), memory_(memory), begin_(begin), count_(count), scale_(memory.scale) {}

  // Work of drawing warp number `drawer`: with n such warps, it draws from every n-th row.
  __device__ void draw(unsigned drawer) const {
    for (unsigned use = 0;; ++use) {
      arrival::wait_for(&memory_.summed[drawer], use);
      const RowJob job = memory_.job_of_sums[drawer];
      if (job.kind == RowJob::end) return;
      if (alone && job.kind == RowJob::sum_roughly)
        draw_roughly(job, drawer);
      else
        draw_exactly(job, drawer);
    }
  }

 private:
  __device__ static bool is_finite(float largest) { return largest < __builtin_inff() && largest > -__builtin_inff(); }

  __device__ void exchange(unsigned n, std::uint64_t first, std::uint64_t second) const {
    memory_.sums.tell(n, 0, first, cluster::rank());
    memory_.sums.tell(n, 1, second, cluster::rank());
  }
  __device__ void exchanged(unsigned n) const {
    __syncwarp();
    if (lane_of_thread() == 0) memory_.sums.expect(n, cluster::size());
  }

  static constexpr unsigned in_lane = ThreadSums::of_lane;

  __device__ void draw_roughly(const RowJob& job, unsigned drawer) const {
    const auto lane = static_cast<unsigned>(lane_of_thread());
    const auto* const from = reinterpret_cast<const float4*>(memory_.thread_sums[drawer].rough_of_lane(lane));
    float sums[in_lane];
    double of_lane = 0;
    PAPILIO_UNROLL
    for (unsigned n = 0; n < in_lane / 4; ++n) {
      const float4 four = from[n];
      sums[4 * n] = four.x, sums[4 * n + 1] = four.y, sums[4 * n + 2] = four.z, sums[4 * n + 3] = four.w;
    }
    PAPILIO_UNROLL
    for (unsigned n = 0; n < in_lane; ++n) of_lane += static_cast<double>(sums[n]);
    const unsigned order_of_warp = memory_.orders[drawer][lane / 2];
    const unsigned order = __reduce_max_sync(whole_warp, order_of_warp);
    arrival::arrive_warp(&memory_.drawn[drawer]);
    const float top_of_block = top_of(logit_of_order(order), scale_.high);
    const double unit_of_lane = power_of_two(rough_top(order_of_warp, scale_.high) - top_of_block);
    of_lane *= unit_of_lane;
    const double to_lane = sum_to_lane(of_lane);
    exchange(job.exchange, order, __builtin_bit_cast(std::uint64_t, __shfl_sync(whole_warp, to_lane, 31)));
    const std::uint64_t number = draw_number_of_row(call_, job.row);
    memory_.sums.wait(job.exchange);
    const auto order_of_block = static_cast<unsigned>(memory_.sums.of_lane(job.exchange, 0));
    const auto sum_of_block = __builtin_bit_cast(double, memory_.sums.of_lane(job.exchange, 1));
    exchanged(job.exchange);
    const unsigned order_of_row = __reduce_max_sync(whole_warp, order_of_block);
    TokenScale scale = scale_;
    scale.largest = logit_of_order(order_of_row);
    const float top = top_of(scale.largest, scale.high);
    const double block = lane_of_thread() < cluster::size()
                             ? sum_of_block * power_of_two(top_of(logit_of_order(order_of_block), scale.high) - top)
                             : 0;
    const double to_block = sum_to_lane(block), total = __shfl_sync(whole_warp, to_block, 31);
    const double u = rough_number(number);
    double offset = u * total;
    const unsigned blocks = __ballot_sync(whole_warp, offset < to_block);
    const bool finite = is_finite(scale.largest), known = finite && blocks != 0 && has_tops(scale.largest, scale.high);
    const int owner = known ? __ffs(static_cast<int>(blocks)) - 1 : 0;
    if (owner != cluster::rank()) return;
    bool found = false;
    if (known) {
      offset -= __shfl_sync(whole_warp, to_block - block, owner);
      const double scaled = power_of_two(top_of_block - top);  // a unit of the block's sums
      const unsigned lanes = __ballot_sync(whole_warp, offset < to_lane * scaled);
      const int of = lanes == 0 ? 0 : __ffs(static_cast<int>(lanes)) - 1;
      offset -= __shfl_sync(whole_warp, to_lane - of_lane, of) * scaled;
      unsigned thread = 0;  // of the lane
      PAPILIO_UNROLL
      for (unsigned n = 0; n + 1 < in_lane; ++n) {
        const double here = static_cast<double>(sums[n]) * unit_of_lane * scaled;
        const bool behind = thread == n && offset >= here;
        offset -= behind ? here : 0;
        thread += behind ? 1 : 0;
      }
      offset = __shfl_sync(whole_warp, offset, of);
      thread = static_cast<unsigned>(of) * in_lane + __shfl_sync(whole_warp, thread, of);
      const ThreadLogits logits(*this, job.row, thread);
      const RoughUnit unit = rough_unit(scale, call_.categories, Part::additions);
      const RoughTarget target = rough_target(offset, rough_error(u, total, u * total - offset, unit), unit);
      if (lanes != 0 && target.inside) found = put_token(job.row, logits, target.low, target.high, scale, 0);
    }
    if (!finite) put_nothing(job.row, scale.largest);
    const bool again = finite && !found;
    memory_.verdicts.tell(job.exchange, 0, std::uint64_t{again ? 1u : 0u} << 32 | order_of_row, 0);
  }

  __device__ void draw_exactly(const RowJob& job, unsigned drawer) const {
    TokenScale scale = scale_;
    scale.largest = logit_of_order(job.order);
    const std::uint64_t* const from =
        memory_.thread_sums[drawer].exact_of_lane(static_cast<unsigned>(lane_of_thread()));
    std::uint64_t sums[in_lane], of_lane = 0;
    PAPILIO_UNROLL
    for (unsigned n = 0; n < in_lane; ++n) of_lane += sums[n] = from[n];
    arrival::arrive_warp(&memory_.drawn[drawer]);
    const std::uint64_t to_lane = sum_to_lane(of_lane);
    exchange(job.exchange, __shfl_sync(whole_warp, to_lane, 31), 0);
    const std::uint64_t number = draw_number_of_row(call_, job.row);
    memory_.sums.wait(job.exchange);
    const std::uint64_t block = memory_.sums.of_lane(job.exchange, 0), to_block = sum_to_lane(block);
    exchanged(job.exchange);
    const std::uint64_t total = __shfl_sync(whole_warp, to_block, 31);
    std::uint64_t target = token_target(number, total);
    const bool finite = is_finite(scale.largest);
    const int owner = finite ? lane_of_target(block, to_block, target) : 0;
    if (owner != cluster::rank()) return;
    if (finite) {
      const int of = lane_of_target(of_lane, to_lane, target);
      unsigned thread = 0;  // of the lane
      PAPILIO_UNROLL
      for (unsigned n = 0; n + 1 < in_lane; ++n) {
        const bool behind = thread == n && target >= sums[n];
        target -= behind ? sums[n] : 0;
        thread += behind ? 1 : 0;
      }
      target = __shfl_sync(whole_warp, target, of);
      thread = static_cast<unsigned>(of) * in_lane + __shfl_sync(whole_warp, thread, of);
      put_token(job.row, ThreadLogits(*this, job.row, thread), target, target, scale, total);
    } else {
      put_nothing(job.row, scale.largest);
    }
    if (alone) memory_.verdicts.tell(job.exchange, 0, 0, 0);
  }

  // A thread's logits, again, for a warp.
  struct ThreadLogits {
    static constexpr unsigned loads = Part::logits / 32;
    float at[loads];
    std::int64_t first;  // category

    __device__ __forceinline__ ThreadLogits(const StreamDraw& of, std::int64_t row, unsigned thread) {
      const unsigned entry = thread * Part::logits + static_cast<unsigned>(lane_of_thread());
      first = of.begin_ + entry;
      const S* const logits = static_cast<const S*>(of.call_.logits) + row * of.call_.row_stride + first;
      PAPILIO_UNROLL
      for (unsigned i = 0; i < loads; ++i)
        at[i] = entry + 32 * i < of.count_ ? logit_of(logits[32 * i]) : -__builtin_inff();
    }
  };

  // One warp: writes the category that has both targets in its interval, if there is one.
  __device__ __forceinline__ bool put_token(std::int64_t row, const ThreadLogits& logits, std::uint64_t low,
                                            std::uint64_t high, const TokenScale& scale, std::uint64_t total) const {
    PAPILIO_UNROLL
    for (unsigned i = 0; i < ThreadLogits::loads; ++i) {
      const std::uint64_t weight = weight_of(logits.at[i], scale), to = sum_to_lane(weight);
      const bool found = low >= to - weight && high < to;
      const std::uint64_t here = __shfl_sync(whole_warp, to, 31);
      if (low < here) {
        if (found) {
          call_.tokens[row] = static_cast<std::int32_t>(logits.first + 32 * i);
          put(call_.status, row, TokenStatus::ok);
          if (!alone && call_.log_probabilities != nullptr)
            call_.log_probabilities[row] = log_probability(logits.at[i], scale.largest, call_.temperature.value,
                                                           log_of_total(total, scale.unit_bits));
        }
        return __any_sync(whole_warp, found ? 1 : 0) != 0;
      }
      low -= here;
      high -= here;
    }
    return false;
  }

  __device__ void put_nothing(std::int64_t row, float largest) const {
    if (lane_of_thread() != 0) return;
    call_.tokens[row] = -1;
    put(call_.log_probabilities, row, __builtin_nanf(""));
    put(call_.raw_log_probabilities, row, __builtin_nanf(""));
    put(call_.status, row,
        largest == -__builtin_inff()  ? TokenStatus::nothing_allowed
        : largest == __builtin_inff() ? TokenStatus::infinite
                                      : TokenStatus::not_a_number);
  }

  const TokenCall& call_;
  StreamMemory<alone>& memory_;
  std::int64_t begin_;
  unsigned count_;
  TokenScale scale_;
};

#endif

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
