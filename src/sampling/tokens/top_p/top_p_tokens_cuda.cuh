#pragma once

#include <cstdint>

#include "execution/cuda/dependent_launch.cuh"
#include "sampling/tokens/top_p/top_p_cut_cuda.cuh"

// Draws from few rows that have top_p and no top_k. The blocks of a cluster share a row. They exchange their largest
// logits, then histograms of weights, and then the keys at the cut, so that each block knows what all of them keep. The
// block that has the token finds it: by sums of buckets of adjacent entries, and then among the entries of one bucket.
// In flat rows buckets are segments, which are summed as the row is read.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

template <class Shape, class S, bool masked>
class TopPDraw {
  using Memory = TopPMemory<Shape>;
  static constexpr int threads = Shape::threads, warps = Shape::warps;

 public:
  __device__ __forceinline__ TopPDraw(const TokenCall& call, Memory& memory, std::int64_t row)
      : call_(call), memory_(memory), part_(call, row), row_(row) {}

  // By all blocks of a cluster. Returns false if the row is left over: too many logits are near the cut. The same in
  // all blocks.
  __device__ __forceinline__ bool draw(const TokenFilter& filter) {
    const float largest = largest_of_row(filter);
    if (!(largest < __builtin_inff()) || largest == -__builtin_inff()) {
      if (cluster::rank() == 0) put_nothing(call_, row_, largest);
      return true;
    }
    if (threadIdx.x == 0) memory_.scale.largest = largest;
    __syncthreads();
    TopPCut<Shape, S, Part> cut(part_, memory_, filter.temperature);
    if (!cut.find(filter.top_p)) return false;
    kept_in_ = cut.has_window() ? KeptIn::window : cut.has_list() ? KeptIn::list : KeptIn::part;
    cut_ = logit_of_order(static_cast<std::uint32_t>(memory_.cut_key >> 32));
    last_at_cut_ = static_cast<unsigned>(category_of_key(memory_.cut_key) - part_.category_of(0));
    finish(filter.temperature);
    return true;
  }

 private:
  using Part = TopPPart<Shape, S, masked>;

  // Where all that is kept is: in the list; there or above the window; or anywhere.
  enum class KeptIn { list, window, part };

  __device__ __forceinline__ void start() const {
    if (threadIdx.x == 0) memory_.init();
    if (threadIdx.x < 2 * most_blocks) memory_.kept_of[threadIdx.x / 2][threadIdx.x % 2] = 0;
    memory_.buckets[threadIdx.x][0] = memory_.buckets[threadIdx.x][1] = memory_.counts[threadIdx.x] = 0;
    __syncwarp();
    cluster::begin();
  }

  // What the draw needs besides the largest logit.
  __device__ __forceinline__ void prepare(const TokenFilter& filter) const {
    const int unit_bits = token_unit_bits(call_.categories);
    if (threadIdx.x == 0) memory_.scale = token_scale(0, filter.temperature, unit_bits);
    if (threadIdx.x == 32) memory_.least_weight = least_weight(filter.min_p, unit_bits);
    if (threadIdx.x == 64) memory_.number = draw_number_of_row(call_, row_);
  }

  // The largest logit: -infinity if there is none, NaN if any is.
  __device__ __forceinline__ float largest_of_row(const TokenFilter& filter) const {
    const float largest = part_.largest([&] { start(); });
    // Every NaN becomes the same key, above that of +infinity.
    const unsigned mine = __reduce_max_sync(whole_warp, largest != largest ? ~0u : token_order(largest + 0.0f));
    const int lane = lane_of_thread(), blocks = cluster::size();
    cluster::begun();
    if (lane < blocks)
      arrival::send(&memory_.orders[cluster::rank() * warps + warp_of_thread()], mine, &memory_.largest_arrived, lane);
    prepare(filter);
    arrival::wait(&memory_.largest_arrived);
    __syncthreads();
    unsigned most = 0;
    PAPILIO_UNROLL
    for (int n = 0; n < most_blocks * warps; n += 32) {
      const unsigned order = memory_.orders[n + lane];
      most = max(most, n < blocks * warps ? order : 0);
    }
    return logit_of_order(__reduce_max_sync(whole_warp, most));
  }

  // The weight of a logit, 0 if it is not kept. `scale` and `least`: copies of those in memory.
  __device__ __forceinline__ std::uint64_t kept_weight(float x, unsigned entry, const TokenScale& scale,
                                                       std::uint64_t least) const {
    if (x < cut_ || (x == cut_ && entry > last_at_cut_)) return 0;
    const std::uint64_t weight = weight_of(x, scale);
    return weight < least ? 0 : weight;
  }
  __device__ __forceinline__ std::uint64_t kept_weight(float x, unsigned entry) const {
    return kept_weight(x, entry, memory_.scale, memory_.least_weight);
  }

  // Finds which block has the token. Other blocks only list what they keep.
  __device__ __forceinline__ void finish(float temperature) {
    const int lane = lane_of_thread();
    std::uint64_t part = lane < cluster::size() ? *reinterpret_cast<const std::uint64_t*>(memory_.kept_of[lane]) : 0;
    // A larger logit can weigh less than the last one, by a little.
    const std::uint64_t least = memory_.least_weight;
    const bool some_light = weight_of(cut_, memory_.scale) < least + (least >> 20) + 2;
    if (kept_in_ == KeptIn::window && (some_light || call_.room > 0)) {
      kept_in_ = KeptIn::part;
      memory_.buckets[threadIdx.x][0] = memory_.buckets[threadIdx.x][1] = 0;
    }
    if (some_light || call_.kept_counts != nullptr || call_.room > 0) {
      tell_kept();
      part = memory_.kept.of_lane(0);
    }
    const std::uint64_t to = sum_to_lane(part), total = __shfl_sync(whole_warp, to, 31);
    std::uint64_t target = token_target(memory_.number, total);
    const bool has_token = lane_of_target(part, to, target) == cluster::rank();
    if (!has_token && call_.room == 0) return;
    fill_buckets(total);
    if (call_.room > 0) list(temperature);
    if (has_token) find_bucket(target, total, temperature);
    if (has_token && kept_in_ == KeptIn::window) find_in_segment(total, temperature);
  }

  // Tells all blocks the sum and the number of what this one keeps, where the keys do not say it.
  __device__ __forceinline__ void tell_kept() const {
    std::uint64_t sum = 0, count = 0;
    const auto take = [&](float x, unsigned entry) {
      const std::uint64_t weight = kept_weight(x, entry);
      sum += weight;
      count += weight != 0 ? 1 : 0;
    };
    if (kept_in_ == KeptIn::part)
      part_.each(take);
    else
      part_.each_listed(memory_.listed, take);
    sum = sum_of_block<warps>(sum, memory_.scratch);
    count = sum_of_block<warps>(count, memory_.scratch);
    if (kept_in_ == KeptIn::window) sum += memory_.above_of_block, count += memory_.count_above;
    if (warp_of_thread() == 0) {
      memory_.kept.tell(0, sum);
      memory_.kept.tell(1, count);
    }
    memory_.kept.wait_block();
  }

  // Entries of a bucket: a segment if there is a window, otherwise a thread's share of the part, in whole lines.
  __device__ __forceinline__ unsigned in_bucket() const {
    if (kept_in_ == KeptIn::window) return Part::segment;
    return ((part_.size() / LogitLine<S>::size - 1) / threads + 1) * LogitLine<S>::size;
  }
  __device__ __forceinline__ unsigned begin_of_bucket(unsigned bucket) const {
    return part_.begin() + min(part_.size(), bucket * in_bucket());
  }

  // Meanwhile the last warp computes the logarithm.
  __device__ __forceinline__ void fill_buckets(std::uint64_t total) const {
    const TokenScale scale = memory_.scale;
    const std::uint64_t least = memory_.least_weight;
    const unsigned size = in_bucket(), begin = part_.begin();
    if (threadIdx.x == threads - 1 && (call_.log_probabilities != nullptr || call_.room > 0))
      memory_.log_total = log_of_total(total, scale.unit_bits);
    if (kept_in_ != KeptIn::part) {
      part_.template each_listed<threads - 32>(memory_.listed, [&](float x, unsigned entry) {
        const std::uint64_t weight = kept_weight(x, entry, scale, least);
        if (weight == 0) return;
        const unsigned bucket = (entry - begin) / size;
        add_halves(memory_.buckets[bucket], weight);
        if (call_.room > 0) atomicAdd(&memory_.counts[bucket], 1u);
      });
    } else {
      part_.each_line([&](const LogitLine<S>& line, unsigned entry) {
        std::uint64_t sum = 0;
        unsigned count = 0;
        PAPILIO_UNROLL
        for (unsigned e = 0; e < LogitLine<S>::size; ++e) {
          const std::uint64_t weight = kept_weight(line[e], entry + e, scale, least);
          sum += weight;
          count += weight != 0 ? 1 : 0;
        }
        if (count == 0) return;
        const unsigned bucket = (entry - begin) / size;
        add_halves(memory_.buckets[bucket], sum);
        if (call_.room > 0) atomicAdd(&memory_.counts[bucket], count);
      });
    }
    __syncthreads();
  }

  // Lists what is kept by ascending category.
  __device__ __forceinline__ void list(float temperature) const {
    std::uint64_t kept = 0, place = 0, all;
    for (int block = 0; block < cluster::size(); ++block) {
      kept += memory_.kept.of[1][block];
      place += block < cluster::rank() ? memory_.kept.of[1][block] : 0;
    }
    const std::uint64_t mine = memory_.counts[threadIdx.x];
    place += sum_to_thread<threads>(mine, memory_.scratch, all) - mine;
    const auto room = static_cast<std::uint64_t>(call_.room), last = min(room, place + mine);
    PAPILIO_UNROLL_NONE
    for (unsigned entry = begin_of_bucket(threadIdx.x); place < last; ++entry) {
      const float x = part_.at(entry);
      if (kept_weight(x, entry) == 0) continue;
      put_entry(call_, row_, static_cast<std::int64_t>(place++), static_cast<std::int32_t>(part_.category_of(entry)),
                log_probability(x, memory_.scale.largest, temperature, memory_.log_total));
    }
    if (cluster::rank() != 0) return;
    for (std::uint64_t n = kept + threadIdx.x; n < room; n += threads)
      put_entry(call_, row_, static_cast<std::int64_t>(n), -1, -__builtin_inff());
  }

  __device__ __forceinline__ void find_bucket(std::uint64_t target, std::uint64_t total, float temperature) const {
    const std::uint64_t mine = *reinterpret_cast<const std::uint64_t*>(memory_.buckets[threadIdx.x]);
    std::uint64_t all;
    const std::uint64_t to = sum_to_thread<threads>(mine, memory_.scratch, all);
    const unsigned it = __ballot_sync(whole_warp, target < to && target >= to - mine);
    if (it == 0) return;
    const int lane = __ffs(static_cast<int>(it)) - 1;
    target -= __shfl_sync(whole_warp, to - mine, lane);
    const auto bucket = static_cast<unsigned>(32 * warp_of_thread() + lane);
    if (kept_in_ != KeptIn::window)
      return find(target, total, begin_of_bucket(bucket), begin_of_bucket(bucket + 1), temperature);
    if (lane_of_thread() == 0) memory_.bucket = bucket, memory_.before = target;
  }

  // All threads of the block find the token in the segment that was found.
  __device__ __forceinline__ void find_in_segment(std::uint64_t total, float temperature) const {
    __syncthreads();
    std::uint64_t target = memory_.before;
    const unsigned end = begin_of_bucket(memory_.bucket + 1);
    for (unsigned first = begin_of_bucket(memory_.bucket); first < end; first += threads) {
      const unsigned entry = first + threadIdx.x;
      const float x = entry < end ? part_.at(entry) : -__builtin_inff();
      const std::uint64_t mine = kept_weight(x, entry);
      std::uint64_t here;
      const std::uint64_t to = sum_to_thread<threads>(mine, memory_.scratch, here);
      if (target < to && target >= to - mine) drawn(x, entry, total, temperature);
      if (target < here) return;
      target -= here;
    }
  }

  // One warp finds the token whose interval contains the target, among these entries.
  __device__ __forceinline__ void find(std::uint64_t target, std::uint64_t total, unsigned begin, unsigned end,
                                       float temperature) const {
    for (unsigned first = begin;; first += 32) {
      const unsigned entry = first + static_cast<unsigned>(lane_of_thread());
      const float x = entry < end ? part_.at(entry) : -__builtin_inff();
      const std::uint64_t mine = kept_weight(x, entry), to = sum_to_lane(mine);
      if (target < to && target >= to - mine) drawn(x, entry, total, temperature);
      const std::uint64_t here = __shfl_sync(whole_warp, to, 31);
      if (target < here) return;
      target -= here;
    }
  }

  __device__ __forceinline__ void drawn(float x, unsigned entry, std::uint64_t total, float temperature) const {
    call_.tokens[row_] = static_cast<std::int32_t>(part_.category_of(entry));
    if (call_.log_probabilities != nullptr)
      call_.log_probabilities[row_] = log_probability(x, memory_.scale.largest, temperature, memory_.log_total);
    put(call_.status, row_, TokenStatus::ok);
    if (call_.kept_counts == nullptr) return;
    std::uint64_t kept = 0;
    for (int block = 0; block < cluster::size(); ++block) kept += memory_.kept.of[1][block];
    call_.kept_counts[row_] = static_cast<std::int32_t>(kept);
  }

  const TokenCall& call_;
  Memory& memory_;
  Part part_;
  std::int64_t row_;
  float cut_ = 0;
  unsigned last_at_cut_ = 0;  // as an entry
  KeptIn kept_in_ = KeptIn::list;
};

#endif

// A cluster has one row. If it is left over, it is left to the kernel that can draw from any row.
template <class Shape, class S, bool masked>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    draw_tokens_by_top_p(const __grid_constant__ TokenCall call) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __shared__ TopPMemory<Shape> memory;
  execution::let_next_kernel_come();
  const std::int64_t row = blockIdx.x >> cluster_bits();
  const TokenFilter filter = filter_of_row(call, row);
  if (way_of(call, filter) == TokenWay::top_p && !TopPDraw<Shape, S, masked>(call, memory, row).draw(filter) &&
      cluster::rank() == 0 && threadIdx.x == 0)
    call.tokens[row] = left_over;
  execution::end_after_kernel_before();
#endif
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
