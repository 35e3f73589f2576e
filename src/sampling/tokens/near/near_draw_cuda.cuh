#pragma once

#include <cstdint>

#include "sampling/tokens/near/near_bound_cuda.cuh"
#include "sampling/tokens/near/near_buckets_cuda.cuh"
#include "sampling/tokens/token_interval.h"

// Draws from a row among its collected logits, with exact weights. top_p also needs the sum of the other weights, which
// is known up to an error. If the error leaves the cut in doubt, the row is left over.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Whether the draw needs the sum of the weights that are not collected.
__device__ __forceinline__ bool needs_rest(const TokenCall& call, const TokenFilter& f) {
  return f.top_p < 1 && (call.joint || !has_top_k(call, f));
}

// What is known after a row was read.
struct NearRow {
  NearBound bound;
  bool has_top;   // a sum of the others exists and has a bounded error; its unit is 2^top_of(bound)
  int additions;  // of NearPart
};

// Called by all threads of a block.
template <class Shape>
class NearDraw {
  using Sums = NearSums<Shape>;

 public:
  __device__ NearDraw(const TokenCall& call, std::int64_t row, const TokenFilter& filter)
      : call_(call),
        memory_(near_memory<Shape>()),
        logits_(near_logits<Shape>()),
        row_(row),
        filter_(filter),
        scale_(memory_.scale) {}

  // `rest`: the approximate sum of what was not collected. Call after a barrier. Returns false if the row is left over.
  __device__ __forceinline__ bool draw(const NearRow& of, double rest) {
    count_ = memory_.count;
    if (rest != rest) return put_nothing(TokenStatus::not_a_number);
    if (count_ > Shape::capacity) return false;
    find_range();
    if (count_ > 0 && scale_.largest == __builtin_inff()) return put_nothing(TokenStatus::infinite);
    is_all_ = of.bound.all || (of.has_top && rest == 0);
    if (count_ == 0) return is_all_ && put_nothing(TokenStatus::nothing_allowed);
    if (!is_all_ && !of.has_top && needs_rest(call_, filter_)) return false;
    if (!find_cut(of, rest)) return false;
    return draw_kept();
  }

 private:
  // Finds the largest and the least collected logit, if there are any.
  __device__ void find_range() {
    unsigned largest = 0, least = ~0u;
    const auto order_of = [&](unsigned n) { return token_order(logits_[n].x + 0.0f); };
    Sums(count_).each(order_of, [&](unsigned, unsigned order) {
      largest = max(largest, order);
      least = min(least, order);
    });
    __syncwarp();
    largest = __reduce_max_sync(whole_warp, largest);
    least = __reduce_min_sync(whole_warp, least);
    if (lane_of_thread() == 0) {
      memory_.largest_of_warp[warp_of_thread()] = largest;
      memory_.least_of_warp[warp_of_thread()] = least;
    }
    __syncthreads();
    const int warp = lane_of_thread() % Shape::warps;
    scale_.largest = logit_of_order(__reduce_max_sync(whole_warp, memory_.largest_of_warp[warp]));
    least_ = logit_of_order(__reduce_min_sync(whole_warp, memory_.least_of_warp[warp]));
  }

  __device__ bool put_nothing(TokenStatus status) const {
    put_none(call_, row_, status);
    return true;
  }

  // More is kept than was collected. Says what is known of the row. If several categories have the largest logit, any
  // of them will do.
  __device__ bool leave_flat() const {
    if (!can_be_flat(call_, filter_)) return false;
    const float unit = static_cast<float>(power_of_two(-static_cast<float>(scale_.unit_bits)));
    const float mass = static_cast<float>(memory_.known_sum) * unit;
    Sums(count_).each([&](unsigned n) {
      const auto category = static_cast<std::int32_t>(logits_[n].category);
      if (logits_[n].x == scale_.largest) memory_.left = token_of_left({category, mass});
    });
    __syncthreads();
    return false;
  }

  // Whether all weights that were not collected are too small for min_p. The relative error of a weight is 2^-24.
  __device__ bool rest_is_light(const NearBound& bound) const {
    if (is_all_) return true;
    const std::uint64_t weight = weight_of(bound.least, scale_);
    return weight + (weight >> 20) + 2 <= memory_.least_weight;
  }

  // Finds where the filters cut the order. Returns false if that is not certain.
  __device__ bool find_cut(const NearRow& of, double rest) {
    const bool is_light = rest_is_light(of.bound), counts = has_top_k(call_, filter_), sums = filter_.top_p < 1;
    const auto k = static_cast<std::uint64_t>(filter_.top_k);
    if (counts && count_ < k && !(is_all_ || (is_light && !sums))) return false;
    const bool cuts_by_count = counts && count_ >= k;
    if (!cuts_by_count && !sums) return is_light;
    Sums buckets(count_);
    fill_buckets(buckets);
    std::uint64_t limit = buckets.all();
    if (cuts_by_count) {
      if (!find_in_order(buckets, false, k)) return false;
      least_key_ = memory_.answer;
      limit = memory_.answer_sum;
      if (!sums) return true;
    }
    if (warp_of_thread() == 0) find_wanted(of, rest, buckets.all(), limit, !cuts_by_count || call_.joint);
    __syncthreads();
    const std::uint64_t low = memory_.wanted[0], high = memory_.wanted[1];
    if (low > limit) return cuts_by_count || is_light || leave_flat();  // nothing more is cut off
    if (high > limit || !find_in_order(buckets, true, low)) return false;
    least_key_ = memory_.answer;
    return high <= memory_.answer_sum;
  }

  // Computes bounds of the sum that top_p asks for. It is a share of all weights if `of_all`, where the sum of those
  // not collected is approximate; otherwise a share of `limit`, the sum of what top_k keeps. Called by one warp.
  __device__ void find_wanted(const NearRow& of, double rest, std::uint64_t collected, std::uint64_t limit,
                              bool of_all) const {
    std::uint64_t low = limit, high = limit;
    if (of_all) {
      low = high = collected;
      if (!is_all_) {
        const RoughBounds others = RoughRest(of.bound.least, scale_, call_.categories, of.additions).of(rest);
        low += others.low, high += others.high;
      }
    }
    if (lane_of_thread() != 0) return;
    memory_.known_sum = low;
    memory_.wanted[0] = top_p_sum(filter_.top_p, low);
    memory_.wanted[1] = top_p_sum(filter_.top_p, high);
  }

  // Fills buckets of equal width, from the largest logit on. All weights beyond the last bucket are 0.
  __device__ void fill_buckets(Sums& buckets) {
    const float width = fminf(scale_.largest - least_, 63.0f / scale_.high);
    per_bucket_ = static_cast<float>(Shape::buckets) / width;
    buckets.clear();
    buckets.each([&](unsigned n) { return weight_of(logits_[n].x, scale_); },
                 [&](unsigned n, std::uint64_t weight) { buckets.add(bucket_of(n), weight); });
    buckets.sum_up();
  }
  __device__ __forceinline__ unsigned bucket_of(unsigned n) const {
    const float place = (scale_.largest - logits_[n].x) * per_bucket_;
    return min(static_cast<unsigned>(max(0, __float2int_rz(place))), Shape::buckets - 1);
  }

  __device__ __forceinline__ std::uint64_t key_of(unsigned n) const {
    return token_key(token_order(logits_[n].x + 0.0f), logits_[n].category & ~near_kept);
  }

  __device__ bool find_in_order(const Sums& buckets, bool by_sum, std::uint64_t wanted) const {
    return buckets.find(
        by_sum, wanted, [&](unsigned n) { return bucket_of(n); }, [&](unsigned n) { return key_of(n); },
        [&](std::uint64_t key) { return weight_of(logit_of_order(static_cast<std::uint32_t>(key >> 32)), scale_); });
  }

  // Draws by ascending category.
  __device__ bool draw_kept() {
    const auto last = static_cast<unsigned>(call_.categories - 1);
    int shift = 0;
    while (last >> shift >= Shape::buckets) ++shift;
    Sums buckets(count_);
    buckets.clear();
    const float cut = least_key_ == 0 ? -__builtin_inff() : logit_of_order(static_cast<unsigned>(least_key_ >> 32));
    const auto kept_weight = [&](unsigned n) -> std::uint64_t {
      if (logits_[n].x < cut || key_of(n) < least_key_) return 0;
      const std::uint64_t weight = weight_of(logits_[n].x, scale_);
      return weight < memory_.least_weight ? 0 : weight;
    };
    buckets.each(kept_weight, [&](unsigned n, std::uint64_t weight) {
      if (weight == 0) return;
      buckets.add(logits_[n].category >> shift, weight);
      logits_[n].category |= near_kept;
    });
    buckets.sum_up();
    const std::uint64_t total = buckets.all(), target = token_target(memory_.number, total);
    // Keys sort lower categories first, and contain the index of the logit.
    const auto bucket = [&](unsigned n) {
      const unsigned category = logits_[n].category;
      return (category & near_kept) != 0 ? (category & ~near_kept) >> shift : Shape::buckets;
    };
    const auto key = [&](unsigned n) { return std::uint64_t{~logits_[n].category} << 32 | n; };
    const auto weight = [&](std::uint64_t of) { return weight_of(logits_[static_cast<std::uint32_t>(of)].x, scale_); };
    if (!buckets.find(true, target + 1, bucket, key, weight)) return false;
    const auto drawn = static_cast<std::uint32_t>(memory_.answer);
    if (threadIdx.x == 0) {
      memory_.log_total = log_of_total(total, scale_.unit_bits);
      put_token(logits_[drawn], static_cast<std::int32_t>(buckets.members()));
    }
    if (call_.ranks != nullptr) put_rank(drawn);
    if (call_.room > 0) list(static_cast<std::int64_t>(buckets.members()));
    return true;
  }

  __device__ float log_of(float x) const {
    return log_probability(x, scale_.largest, filter_.temperature, memory_.log_total);
  }

  __device__ void put_token(const NearLogit& drawn, std::int32_t kept) const {
    call_.tokens[row_] = static_cast<std::int32_t>(drawn.category & ~near_kept);
    if (call_.log_probabilities != nullptr) call_.log_probabilities[row_] = log_of(drawn.x);
    put(call_.kept_counts, row_, kept);
    put(call_.status, row_, TokenStatus::ok);
  }

  // Everything that comes before the token was collected.
  __device__ void put_rank(std::uint32_t drawn) const {
    const std::uint64_t key = key_of(drawn);
    unsigned before = 0;
    Sums(count_).each([&](unsigned n) { before += key_of(n) > key ? 1 : 0; });
    __syncwarp();
    before = __reduce_add_sync(whole_warp, before);
    if (threadIdx.x == 0) memory_.rank = 0;
    __syncthreads();
    if (lane_of_thread() == 0) atomicAdd(&memory_.rank, before);
    __syncthreads();
    if (threadIdx.x == 0) call_.ranks[row_] = static_cast<std::int32_t>(memory_.rank);
  }

  __device__ void put_entry(std::int64_t place, std::int32_t category, float log) const {
    call_.kept_categories[row_ * call_.kept_stride + place] = category;
    if (call_.kept_logs != nullptr) call_.kept_logs[row_ * call_.kept_logs_stride + place] = log;
  }

  // Lists what is kept by ascending category. Each kept category has a bit; its place is the number of bits before it.
  __device__ void list(std::int64_t kept) const {
    constexpr unsigned words = Shape::bits / 32, of_thread = words / Shape::threads;
    const Sums collected(count_);
    std::int64_t before_window = 0;
    for (unsigned begin = 0; begin < static_cast<unsigned>(call_.categories) && before_window < call_.room;
         begin += Shape::bits) {
      __syncthreads();  // the buckets and the previous bits are no longer needed
      for (unsigned n = threadIdx.x; n < words; n += Shape::threads) memory_.bits[n] = 0;
      __syncthreads();
      const auto bit_of = [&](unsigned n) {
        const unsigned category = logits_[n].category;
        return (category & near_kept) != 0 ? (category & ~near_kept) - begin : ~0u;
      };
      collected.each([&](unsigned n) {
        if (const unsigned bit = bit_of(n); bit < Shape::bits) atomicOr(&memory_.bits[bit / 32], 1u << bit % 32);
      });
      __syncthreads();
      unsigned mine = 0;
      PAPILIO_UNROLL
      for (unsigned n = 0; n < of_thread; ++n)
        mine += static_cast<unsigned>(__popc(memory_.bits[of_thread * threadIdx.x + n]));
      std::uint64_t in_window;
      const std::uint64_t to = sum_to_thread<Shape::threads>(std::uint64_t{mine}, memory_.scratch[0], in_window);
      memory_.buckets.sorted[threadIdx.x] = to - mine;
      __syncthreads();
      collected.each([&](unsigned n) {
        const unsigned bit = bit_of(n);
        if (bit >= Shape::bits) return;
        const unsigned word = bit / 32, first = word / of_thread * of_thread;
        std::int64_t place = before_window + static_cast<std::int64_t>(memory_.buckets.sorted[word / of_thread]) +
                             __popc(memory_.bits[word] & ((1u << bit % 32) - 1));
        for (unsigned w = first; w < word; ++w) place += __popc(memory_.bits[w]);
        if (place < call_.room) put_entry(place, static_cast<std::int32_t>(begin + bit), log_of(logits_[n].x));
      });
      before_window += static_cast<std::int64_t>(in_window);
    }
    for (std::int64_t n = kept + threadIdx.x; n < call_.room; n += Shape::threads) put_entry(n, -1, -__builtin_inff());
  }

  const TokenCall& call_;
  NearMemory<Shape>& memory_;
  NearLogit* logits_;
  std::int64_t row_;
  TokenFilter filter_;
  TokenScale scale_;
  unsigned count_ = 0;   // of collected logits
  bool is_all_ = false;  // all weights that were not collected are 0
  float least_ = 0;      // of collected logits
  float per_bucket_ = 0;
  std::uint64_t least_key_ = 0;  // of what the filters keep; 0 if they do not cut the order
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
