#pragma once

#include <cstdint>

#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/stream/row_stream_memory_cuda.cuh"
#include "sampling/tokens/token_weights_cuda.cuh"
#include "sampling/tokens/weight_sums_cuda.cuh"

// Draws from the sums of a stream of rows. For each row, one warp of every block of the cluster joins the sums; the
// warp of the block that has the target draws.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

// What a thread has of a chunk when it sums roughly. For exact sums the threads of a warp share its lines in another
// way.
template <class S>
struct ThreadPart {
  static constexpr unsigned in_line = LogitLine<S>::size, lines = chunk_lines_of_thread, logits = lines * in_line;
  // A rough sum begins as this many partial sums.
  static constexpr unsigned sums = 16;
  static constexpr int additions = static_cast<int>(logits / sums - 1 + 4);
};

// What a block has of every row.
template <class S>
class BlockPart {
 public:
  __device__ explicit BlockPart(const StreamCall& call) : in_chunk_(call.in_chunk) {
    begin_ = min(call.call.categories, cluster::rank() * call.call.in_slice);
    lines_ = static_cast<unsigned>(min(call.call.categories - begin_, call.call.in_slice)) / LogitLine<S>::size;
  }

  __device__ unsigned lines_of(unsigned chunk) const {
    const unsigned first = chunk * in_chunk_;
    return first < lines_ ? min(lines_ - first, in_chunk_) : 0;
  }
  // The category of a logit of a chunk.
  __device__ std::int64_t category(unsigned chunk, unsigned logit) const {
    return begin_ + chunk * in_chunk_ * LogitLine<S>::size + logit;
  }
  __device__ const S* of_row(const TokenCall& call, std::int64_t row) const {
    return static_cast<const S*>(call.logits) + row * call.row_stride + begin_;
  }

 private:
  std::int64_t begin_;  // the first category
  unsigned lines_, in_chunk_;
};

__device__ __forceinline__ float rough_top(unsigned order, float scale) {
  return fmaxf(top_of(logit_of_order(order), scale), lowest_top);
}

template <class S, bool alone>
class StreamDraw {
  using Part = ThreadPart<S>;

 public:
  __device__ StreamDraw(const StreamCall& call, StreamMemory<S, alone>& memory, const BlockPart<S>& part)
      : call_(call.call), memory_(memory), part_(part), scale_(call.scale) {}

  // The work of drawing warp number `drawer`: with n such warps, it draws from every n-th row.
  __device__ void draw(unsigned drawer) const {
    for (unsigned use = 0;; ++use) {
      arrival::wait_for(&memory_.summed[drawer], use);
      const RowJob job = memory_.job_of_sums[drawer];
      if (job.kind == RowJob::end) return;
      if constexpr (alone) {
        if (job.kind == RowJob::sum_roughly) {
          draw_roughly(job, drawer);
          continue;
        }
      }
      draw_exactly(job, drawer);
    }
  }

 private:
  __device__ static bool is_finite(float largest) { return largest < __builtin_inff() && largest > -__builtin_inff(); }

  // After this warp has read what the blocks sent.
  __device__ void exchanged(unsigned n) const {
    __syncwarp();
    if (lane_of_thread() == 0) memory_.sums.expect(n, cluster::size());
  }

  // Groups of threads whose rough sums a lane looks at, and how many sums these are.
  static constexpr unsigned groups = rough_chunks<S>(), in_lane = groups * ThreadSums::in_group;
  // Segments whose exact sums a lane looks at.
  static constexpr unsigned segments_of_lane = stream_most_segments / 32;

  __device__ const float* group_sums(unsigned drawer, unsigned group) const {
    return memory_.thread_sums[drawer][group / ThreadSums::groups].of(group % ThreadSums::groups);
  }
  static __device__ __forceinline__ float exponents(float sum) {
    return most_exponents(sum, __builtin_ctz(Part::logits));
  }
  static __device__ std::uint64_t bits_of(double x) { return __builtin_bit_cast(std::uint64_t, x); }
  static __device__ double number_of(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }
  static __device__ double last(double to_lane) { return __shfl_sync(whole_warp, to_lane, 31); }

  __device__ void draw_roughly(const RowJob& job, unsigned drawer) const {
    const auto lane = static_cast<unsigned>(lane_of_thread());
    double of_lane = 0;
    float below_warp = 0;
    PAPILIO_UNROLL
    for (unsigned n = 0; n < groups; ++n) {
      const auto* const from = reinterpret_cast<const float4*>(group_sums(drawer, lane * groups + n));
      PAPILIO_UNROLL
      for (unsigned i = 0; i < ThreadSums::in_group / 4; ++i) {
        const float4 four = from[i];
        below_warp += (exponents(four.x) + exponents(four.y)) + (exponents(four.z) + exponents(four.w));
        of_lane += (static_cast<double>(four.x) + static_cast<double>(four.y)) +
                   (static_cast<double>(four.z) + static_cast<double>(four.w));
      }
    }
    const unsigned order_of_warp = memory_.orders[drawer][lane * groups / 2];
    const unsigned order = __reduce_max_sync(whole_warp, order_of_warp);
    const float top_of_block = top_of(logit_of_order(order), scale_.high);
    const float down = rough_top(order_of_warp, scale_.high) - top_of_block;
    const double unit_of_lane = power_of_two(down);
    // The sum with exponents: below the top of the block from here on.
    const double below =
        unit_of_lane == 0 ? 0 : (static_cast<double>(below_warp) - of_lane * static_cast<double>(down)) * unit_of_lane;
    of_lane = unit_of_lane == 0 ? 0 : of_lane * unit_of_lane;  // logits of -1e10 and below may have an infinite sum
    const double to_lane = sum_to_lane(of_lane), below_to_lane = sum_to_lane(below);
    memory_.sums.tell(job.exchange, 0, order, cluster::rank());
    memory_.sums.tell(job.exchange, 1, bits_of(last(to_lane)), cluster::rank());
    memory_.sums.tell(job.exchange, 2, bits_of(last(below_to_lane)), cluster::rank());
    const std::uint64_t number = draw_number_of_row(call_, job.row);
    memory_.sums.wait(job.exchange);
    const auto order_of_block = static_cast<unsigned>(memory_.sums.of_lane(job.exchange, 0));
    const double sum_of_block = number_of(memory_.sums.of_lane(job.exchange, 1));
    const double below_of_block = number_of(memory_.sums.of_lane(job.exchange, 2));
    exchanged(job.exchange);
    const unsigned order_of_row = __reduce_max_sync(whole_warp, order_of_block);
    TokenScale scale = scale_;
    scale.largest = logit_of_order(order_of_row);
    const float top = top_of(scale.largest, scale.high);
    const float block_down = top_of(logit_of_order(order_of_block), scale.high) - top;
    const double unit_of_block = lane < static_cast<unsigned>(cluster::size()) ? power_of_two(block_down) : 0;
    const double block = unit_of_block == 0 ? 0 : sum_of_block * unit_of_block;
    const double to_block = sum_to_lane(block), total = last(to_block);
    const double u = rough_number(number);
    double offset = u * total;
    const unsigned blocks = __ballot_sync(whole_warp, offset < to_block);
    const bool finite = is_finite(scale.largest), known = finite && blocks != 0 && has_tops(scale.largest, scale.high);
    const int owner = known ? __ffs(static_cast<int>(blocks)) - 1 : 0;
    if (owner != cluster::rank() || !known) arrival::arrive_warp(&memory_.drawn[drawer]);
    if (owner != cluster::rank()) return;
    bool found = false;
    if (known) {
      const double block_below =
          unit_of_block == 0 ? 0 : (below_of_block - sum_of_block * static_cast<double>(block_down)) * unit_of_block;
      const double below_to_block = sum_to_lane(block_below);
      offset -= __shfl_sync(whole_warp, to_block - block, owner);
      const double scaled = power_of_two(top_of_block - top);  // a unit of the block's sums
      const unsigned lanes = __ballot_sync(whole_warp, offset < to_lane * scaled);
      const int of = lanes == 0 ? 0 : __ffs(static_cast<int>(lanes)) - 1;
      offset -= __shfl_sync(whole_warp, to_lane - of_lane, of) * scaled;
      // The threads of lane `of`: each lane takes the sum of one of them.
      const double unit_of_thread = __shfl_sync(whole_warp, unit_of_lane, of) * scaled;
      const unsigned group = static_cast<unsigned>(of) * groups + lane / ThreadSums::in_group;
      const double sum =
          lane < in_lane ? static_cast<double>(group_sums(drawer, group)[lane % ThreadSums::in_group]) * unit_of_thread
                         : 0;
      arrival::arrive_warp(&memory_.drawn[drawer]);
      const double to_thread = sum_to_lane(sum);
      const unsigned threads = __ballot_sync(whole_warp, offset < to_thread && lane < in_lane);
      const int in_of = threads == 0 ? static_cast<int>(in_lane) - 1 : __ffs(static_cast<int>(threads)) - 1;
      offset -= __shfl_sync(whole_warp, to_thread - sum, in_of);
      const unsigned thread = static_cast<unsigned>(of) * in_lane + static_cast<unsigned>(in_of);
      const unsigned chunk = thread / stream_workers;
      const ThreadLogits logits(*this, job.row, chunk, thread % stream_workers);
      const RoughUnit unit = rough_unit(scale, call_.categories, Part::additions);
      // Exponents below the row's largest logit. Those of lane `of` count on both sides of the target.
      const double above =
          static_cast<double>(scale.largest) * static_cast<double>(scale.high) - static_cast<double>(top);
      const double shift = static_cast<double>(top - top_of_block) + above;
      const double before_sum = u * total - offset;
      const double in_block =
          (__shfl_sync(whole_warp, below_to_lane, of) + shift * __shfl_sync(whole_warp, to_lane, of)) * scaled;
      const double own = (__shfl_sync(whole_warp, below, of) + shift * __shfl_sync(whole_warp, of_lane, of)) * scaled;
      const double blocks_before = __shfl_sync(whole_warp, below_to_block - block_below, owner) +
                                   above * __shfl_sync(whole_warp, to_block - block, owner);
      const double all = last(below_to_block) + above * total;
      const RoughTerms before = {before_sum, blocks_before + in_block};
      const RoughTerms behind = {total - before_sum, all - blocks_before - in_block + own};
      const RoughTarget target = rough_target(offset, rough_error(u, before, behind, unit), unit);
      if (lanes != 0 && target.inside) found = put_token(job.row, logits, target.low, target.high, scale, 0);
    }
    if (!finite) put_nothing(job.row, scale.largest);
    const bool again = finite && !found;
    memory_.verdicts.tell(job.exchange, 0, std::uint64_t{again ? 1u : 0u} << 32 | order_of_row, 0);
  }

  __device__ void draw_exactly(const RowJob& job, unsigned drawer) const {
    TokenScale scale = scale_;
    scale.largest = logit_of_order(job.order);
    std::uint64_t sums[segments_of_lane], of_lane = 0;
    PAPILIO_UNROLL
    for (unsigned n = 0; n < segments_of_lane; ++n) {
      const unsigned segment = static_cast<unsigned>(lane_of_thread()) * segments_of_lane + n;
      of_lane += sums[n] =
          part_.lines_of(segment / stream_worker_warps) != 0 ? memory_.segment_sums[drawer][segment] : 0;
    }
    arrival::arrive_warp(&memory_.drawn[drawer]);
    const std::uint64_t to_lane = sum_to_lane(of_lane);
    memory_.sums.tell(job.exchange, 0, __shfl_sync(whole_warp, to_lane, 31), cluster::rank());
    if constexpr (alone) {  // the other blocks wait for as many words as with rough sums
      memory_.sums.tell(job.exchange, 1, 0, cluster::rank());
      memory_.sums.tell(job.exchange, 2, 0, cluster::rank());
    }
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
      unsigned segment = 0;  // of the lane
      PAPILIO_UNROLL
      for (unsigned n = 0; n + 1 < segments_of_lane; ++n) {
        const bool behind = segment == n && target >= sums[n];
        target -= behind ? sums[n] : 0;
        segment += behind ? 1 : 0;
      }
      target = __shfl_sync(whole_warp, target, of);
      segment = static_cast<unsigned>(of) * segments_of_lane + __shfl_sync(whole_warp, segment, of);
      const unsigned chunk = segment / stream_worker_warps;
      const unsigned thread =
          segment % stream_worker_warps * 32 + find_lane(job.row, chunk, segment % stream_worker_warps, scale, target);
      put_token(job.row, ThreadLogits(*this, job.row, chunk, thread), target, target, scale, total);
    } else {
      put_nothing(job.row, scale.largest);
    }
    if constexpr (alone) memory_.verdicts.tell(job.exchange, 0, 0, 0);
  }

  // Divides a segment among the lanes, a few lines next to each other for each, and returns the lane that has the
  // target. The target is then the one within that lane's lines.
  __device__ __forceinline__ unsigned find_lane(std::int64_t row, unsigned chunk, unsigned warp,
                                                const TokenScale& scale, std::uint64_t& target) const {
    const unsigned first = warp * segment_lines + static_cast<unsigned>(lane_of_thread()) * Part::lines;
    const unsigned count = part_.lines_of(chunk);
    const auto* const from = reinterpret_cast<const uint4*>(
        static_cast<const S*>(call_.logits) + row * call_.row_stride + part_.category(chunk, first * Part::in_line));
    using Sums = WeightSums<S, 8, true>;
    LogitLine<S> line[Part::lines];
    PAPILIO_UNROLL
    for (unsigned i = 0; i < Part::lines; ++i)
      line[i] = first + i < count ? __builtin_bit_cast(LogitLine<S>, __ldg(from + i)) : LogitLine<S>::empty();
    const Sums sums(scale);
    double all = sums.none();
    PAPILIO_UNROLL
    for (unsigned i = 0; i < Part::lines; i += Sums::lines) {
      LogitLine<S> some[Sums::lines];
      PAPILIO_UNROLL
      for (unsigned m = 0; m < Sums::lines; ++m) some[m] = line[i + m];
      all = sums.plus(all, some);
    }
    const std::uint64_t sum = sums.units(all);
    return static_cast<unsigned>(lane_of_target(sum, sum_to_lane(sum), target));
  }

  // A few lines of a chunk as a warp reads them again: those of one thread, each lane a logit.
  struct ThreadLogits {
    static constexpr unsigned loads = Part::logits < 32 ? 1 : Part::logits / 32;
    float at[loads];
    std::int64_t first;  // category

    __device__ __forceinline__ ThreadLogits(const StreamDraw& of, std::int64_t row, unsigned chunk, unsigned thread) {
      const auto lane = static_cast<unsigned>(lane_of_thread());
      const unsigned entry = thread * Part::logits + lane, count = of.part_.lines_of(chunk) * Part::in_line;
      first = of.part_.category(chunk, entry);
      const S* const logits = static_cast<const S*>(of.call_.logits) + row * of.call_.row_stride + first;
      PAPILIO_UNROLL
      for (unsigned i = 0; i < loads; ++i)
        at[i] = lane + 32 * i < Part::logits && entry + 32 * i < count ? logit_of(logits[32 * i]) : -__builtin_inff();
    }
  };

  // Writes the category that has both targets in its interval, and returns whether there is one. By all lanes of a
  // warp.
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
  StreamMemory<S, alone>& memory_;
  const BlockPart<S>& part_;
  TokenScale scale_;
};

#endif

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
