#pragma once

#include <cstdint>

#include "sampling/tokens/flat/flat_part_cuda.cuh"
#include "sampling/tokens/token_interval.h"

// Draws from a flat row after its second reading: finds the cut among the logits of the window, the segment of the
// token, and the token in it.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// What a block knows after the second reading of a row.
struct FlatRow {
  std::uint64_t between;  // the exact sum of weights that are not in segments
  double rough;           // the sum of powers of the rest, in units of the window's 2^top
  unsigned above;         // how many logits reach the upper end of the window
};

// Called by all threads of a block.
template <class Shape, class S, bool masked>
class FlatDraw {
  using Sums = NearSums<Shape>;
  static constexpr int threads = Shape::threads;

 public:
  __device__ FlatDraw(const TokenCall& call, std::int64_t row, const TokenFilter& filter, const FlatRow& of)
      : call_(call),
        memory_(near_memory<Shape>()),
        flat_(flat_memory<Shape>()),
        logits_(near_logits<Shape>()),
        row_(row),
        filter_(filter),
        scale_(memory_.scale),
        window_(flat_.window),
        of_(of) {}

  // Returns false if the cut is not in the window, or cannot be found.
  __device__ __forceinline__ bool draw() {
    count_ = memory_.count;
    if (count_ > flat_capacity<Shape>) return false;
    Sums buckets(count_);
    fill_buckets(buckets);
    kept_ = sum_of_segments();
    RoughBounds others = {0, 0};
    if (of_.rough != 0)
      others = RoughRest(window_.least, scale_, call_.categories, NearPowers<S>::additions).of(of_.rough);
    Cut cut = find_cut(buckets, of_.between + others.low, of_.between + others.high);
    if (cut == Cut::in_doubt) {
      const std::uint64_t exact = buckets.all() + sum_below();
      cut = find_cut(buckets, exact, exact);
    }
    if (cut != Cut::found) return false;
    add_window();
    draw_kept();
    return true;
  }

 private:
  enum class Cut { found, in_doubt, elsewhere };

  __device__ void fill_buckets(Sums& buckets) {
    const bool has_upper = window_.upper < __builtin_inff();
    from_ = has_upper ? window_.upper : scale_.largest;
    per_bucket_ = static_cast<float>(Shape::buckets) / (from_ - window_.least);
    buckets.clear();
    buckets.each([&](unsigned n) { return weight_of(logits_[n].x, scale_); },
                 [&](unsigned n, std::uint64_t weight) { buckets.add(bucket_of(n), weight); });
    buckets.sum_up();
  }
  __device__ __forceinline__ unsigned bucket_of(unsigned n) const {
    const float place = (from_ - logits_[n].x) * per_bucket_;
    return min(static_cast<unsigned>(max(0, __float2int_rz(place))), Shape::buckets - 1);
  }
  __device__ __forceinline__ std::uint64_t key_of(unsigned n) const {
    return token_key(token_order(logits_[n].x + 0.0f), logits_[n].category);
  }

  __device__ std::uint64_t segment(unsigned n) const {
    return n < most_segments ? std::uint64_t{flat_.segments[n][1]} << 32 | flat_.segments[n][0] : 0;
  }
  __device__ std::uint64_t sum_of_segments() const {
    static_assert(most_segments <= threads);
    std::uint64_t all;
    sum_to_thread<threads>(segment(threadIdx.x), memory_.scratch[0], all);
    return all;
  }

  // Finds the last logit that top_p keeps, if all weights but those of segments add up to between `low` and `high`.
  __device__ Cut find_cut(const Sums& buckets, std::uint64_t low, std::uint64_t high) {
    const std::uint64_t first = top_p_sum(filter_.top_p, kept_ + low), last = top_p_sum(filter_.top_p, kept_ + high);
    const std::uint64_t limit = kept_ + buckets.all();
    if (last <= kept_ || first > limit) return Cut::elsewhere;
    if (first <= kept_ || last > limit) return Cut::in_doubt;
    const bool is_found = buckets.find(
        true, first - kept_, [&](unsigned n) { return bucket_of(n); }, [&](unsigned n) { return key_of(n); },
        [&](std::uint64_t key) { return weight_of(logit_of_order(static_cast<std::uint32_t>(key >> 32)), scale_); });
    if (!is_found) return Cut::elsewhere;
    least_key_ = memory_.answer;
    return last - kept_ <= memory_.answer_sum ? Cut::found : Cut::in_doubt;
  }

  // The exact sum of all weights below the window, also those in the parts of other blocks.
  __device__ std::uint64_t sum_below() const {
    using Lines = typename NearBatch<S>::Lines;
    const FlatWeights<S> weights(scale_);
    std::uint64_t sum = 0;
    FlatReader<Shape, S, masked, true>(call_, row_, 0, call_.categories)
        .read(
            [&](const Lines& lines, unsigned, unsigned) {
              double below = weights.none();
              each_weight<S>(weights, lines, [&](float x, double weight) {
                below = __dadd_rz(below, x < window_.least ? weight : 0.0);
              });
              sum += weights.units(below);
            },
            [&](float x, std::uint32_t) { sum += x < window_.least ? weight_of(x, scale_) : 0; });
    __syncwarp();
    std::uint64_t all;
    sum_to_thread<threads>(sum, memory_.scratch[0], all);
    return all;
  }

  __device__ __forceinline__ std::uint64_t kept_weight(float x, std::uint64_t key) const {
    if (!(x >= window_.upper) && key < least_key_) return 0;
    const std::uint64_t weight = weight_of(x, scale_);
    return weight < memory_.least_weight ? 0 : weight;
  }

  // Adds what is kept of the window to the segments.
  __device__ void add_window() {
    if (threadIdx.x == 0) flat_.kept = 0;
    __syncthreads();
    const FlatSegments<Shape> segments(call_, row_, S());
    unsigned kept = 0;
    Sums(count_).each([&](unsigned n) { return kept_weight(logits_[n].x, key_of(n)); },
                      [&](unsigned n, std::uint64_t weight) {
                        if (weight == 0) return;
                        ++kept;
                        add_halves(flat_.segments[segments.of(logits_[n].category)], weight);
                      });
    __syncwarp();
    kept = __reduce_add_sync(whole_warp, kept);
    if (lane_of_thread() == 0) atomicAdd(&flat_.kept, kept);
    __syncthreads();
  }

  __device__ void draw_kept() {
    const std::uint64_t mine = segment(threadIdx.x);
    std::uint64_t total;
    const std::uint64_t to = sum_to_thread<threads>(mine, memory_.scratch[0], total);
    const std::uint64_t target = token_target(memory_.number, total);
    if (target < to && target >= to - mine) {
      memory_.bucket = threadIdx.x;
      memory_.sum_before = to - mine;
    }
    if (threadIdx.x == 0) memory_.log_total = log_of_total(total, scale_.unit_bits);
    __syncthreads();
    find_in_segment(memory_.bucket, target - memory_.sum_before);
  }

  // Each thread has some adjacent categories.
  __device__ void find_in_segment(unsigned segment, std::uint64_t target) const {
    const FlatSegments<Shape> segments(call_, row_, S());
    const unsigned first = segments.begin(segment), behind = segments.begin(segment + 1);
    const unsigned each = (behind - first + threads - 1) / threads;
    const unsigned begin = min(behind, first + each * threadIdx.x), end = min(behind, begin + each);
    std::uint64_t mine = 0, all;
    PAPILIO_UNROLL_FEW
    for (unsigned category = begin; category < end; ++category) mine += weight_at(category);
    const std::uint64_t to = sum_to_thread<threads>(mine, memory_.scratch[0], all);
    if (!(target < to && target >= to - mine)) return;
    target -= to - mine;
    unsigned category = begin;
    for (std::uint64_t weight; target >= (weight = weight_at(category)); ++category) target -= weight;
    put_token(category);
  }
  __device__ std::uint64_t weight_at(unsigned category) const {
    if (masked && !is_allowed(call_, row_, category)) return 0;
    const float x = logit_at(category);
    return kept_weight(x, token_key(token_order(x + 0.0f), category));
  }
  __device__ float logit_at(unsigned category) const {
    return logit_of(static_cast<const S*>(call_.logits)[row_ * call_.row_stride + category]);
  }

  __device__ void put_token(unsigned category) const {
    call_.tokens[row_] = static_cast<std::int32_t>(category);
    if (call_.log_probabilities != nullptr)
      call_.log_probabilities[row_] =
          log_probability(logit_at(category), scale_.largest, filter_.temperature, memory_.log_total);
    put(call_.kept_counts, row_, static_cast<std::int32_t>(of_.above + flat_.kept));
    put(call_.status, row_, TokenStatus::ok);
  }

  const TokenCall& call_;
  NearMemory<Shape>& memory_;
  FlatMemory& flat_;
  NearLogit* logits_;
  std::int64_t row_;
  TokenFilter filter_;
  TokenScale scale_;
  TopPWindow window_;
  const FlatRow& of_;
  unsigned count_ = 0;      // of the window
  std::uint64_t kept_ = 0;  // the sum of the weights from the window's upper end on
  std::uint64_t least_key_ = 0;
  float from_ = 0, per_bucket_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
