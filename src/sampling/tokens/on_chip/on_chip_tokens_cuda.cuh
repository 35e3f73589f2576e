#pragma once

#include <cstdint>
#include <type_traits>

#include "execution/cuda/dependent_launch.cuh"
#include "sampling/tokens/on_chip/on_chip_cut_cuda.cuh"
#include "sampling/tokens/weight_sums_cuda.cuh"

// Draws from rows that fit on chip. The blocks of a cluster hold a row in its original type, or as floats: 16-bit
// logits have no room for their sums with a bias. They find its largest logit and where the filters cut its order,
// compute the weights of what is kept, and search their sums.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// What a kernel does besides drawing. `filter`: min_p, and the number and mass of what is kept. `cut`: also top_k,
// top_p and the list of what is kept.
enum class OnChip { draw, filter, cut };

template <OnChip kind, int threads>
using PlainOnChipMemory = std::conditional_t<kind == OnChip::cut, OnChipCutMemory<threads>, OnChipMemory<threads>>;
template <OnChip kind, bool plain, int threads = on_chip_threads>
using OnChipMemoryOf =
    std::conditional_t<plain, PlainOnChipMemory<kind, threads>, OnChipRankMemory<PlainOnChipMemory<kind, threads>>>;

// Draws from one row by blocks of so many threads, which hold it as numbers of type Held. `plain`: without a mask, bias
// or rank.
template <class S, OnChip kind, bool plain, int threads = on_chip_threads, class Held = S>
class OnChipDraw {
 public:
  using Memory = OnChipMemoryOf<kind, plain, threads>;

  __device__ OnChipDraw(const TokenCall& call, Memory& memory, Held* part, std::int64_t row)
      : call_(call), memory_(memory), part_(part, &memory.arrived), row_(row) {}

  // By all blocks of a cluster. Returns false if the row is left over: too many logits are near the cut. The same in
  // all blocks.
  __device__ bool draw(const TokenFilter& filter) {
    start(filter);
    const PartMask<Held> mask =
        plain ? PartMask<Held>() : PartMask<Held>(call_, row_, begin_of_part(), part_, in_group);
    part_.wait();
    cluster::begun();
    if (!add_bias()) {
      if (cluster::rank() == 0) put_none(call_, row_, TokenStatus::bad_bias);
      return true;
    }
    const float largest = largest_of_row(mask);
    if (!(largest < __builtin_inff()) || largest == -__builtin_inff()) {
      if (cluster::rank() == 0) put_nothing(call_, row_, largest);
      return true;
    }
    scale_ = memory_.scale;
    scale_.largest = largest;
    if constexpr (kind == OnChip::cut) {
      if (!find_cut(filter)) {
        cluster::sync();  // no other block reads this block's bins any more
        return false;
      }
    }
    is_listed_ ? weigh_listed() : weigh();
    if (warp_of_thread() == 0) find_part(filter.temperature);
    if constexpr (kind == OnChip::cut) {
      if (call_.room > 0) list(filter.temperature);
    }
    if constexpr (!plain) {
      if (call_.ranks != nullptr) rank();
    }
    return true;
  }

 private:
  static constexpr bool filtered = kind != OnChip::draw;
  static constexpr int warps = threads / 32;
  static constexpr unsigned in_group = on_chip_group(threads);

  __device__ std::int64_t begin_of_part() const { return min(call_.categories, cluster::rank() * call_.in_slice); }

  // Starts the copy of the part. Meanwhile one thread computes what the draw needs.
  __device__ void start(const TokenFilter& filter) {
    if (threadIdx.x == 0) {
      memory_.init();
      arrival::init_done();
    }
    cluster::begin();
    const std::int64_t begin = begin_of_part();
    const S* const from = static_cast<const S*>(call_.logits) + row_ * call_.row_stride + begin;
    const auto count = static_cast<unsigned>(min(call_.categories - begin, call_.in_slice));
    if constexpr (std::is_same_v<S, Held>)
      part_.start(from, count, in_group);
    else
      part_.start_widened(from, count, in_group);
    if (threadIdx.x != 0) return;
    const int unit_bits = token_unit_bits(call_.categories);
    memory_.scale = token_scale(0, filter.temperature, unit_bits);
    if (filtered) memory_.least_weight = least_weight(filter.min_p, unit_bits);
    memory_.number = draw_number_of_row(call_, row_);
  }

  // Returns false if the bias is bad.
  __device__ bool add_bias() {
    if constexpr (!plain && std::is_same_v<Held, float>) {
      const BiasOfRow bias = bias_of_row(call_, row_);
      if (bias_is_bad(call_, bias)) return false;
      if (bias.count == 0) return true;
      const std::int64_t begin = begin_of_part(), end = min(call_.categories, begin + call_.in_slice);
      for (std::int64_t n = threadIdx.x; n < bias.count; n += threads) {
        const std::int64_t category = bias.categories[n];
        if (category >= begin && category < end)
          part_.add(static_cast<unsigned>(category - begin) + part_.before(), bias.values[n]);
      }
      __syncthreads();
    }
    return true;
  }

  // The largest allowed logit: -infinity if there is none, NaN if any is NaN.
  __device__ float largest_of_row(const PartMask<Held>& mask) const {
    float largest = -__builtin_inff();
    if constexpr (plain) {
      if (part_.groups() > 0) largest = part_.largest_of_thread();
    } else {
      PAPILIO_UNROLL_FEW
      for (unsigned group = 0; group < part_.groups(); ++group) {
        const float4 x = mask.four(group);
        largest = greater_or_nan(largest, greater_or_nan(greater_or_nan(x.x, x.y), greater_or_nan(x.z, x.w)));
      }
    }
    // Every NaN becomes the same key, above that of +infinity.
    const unsigned mine = __reduce_max_sync(whole_warp, largest != largest ? ~0u : token_order(largest + 0.0f));
    if (lane_of_thread() == 0) atomicMax(&memory_.largest_of_block, mine);
    __syncthreads();
    if (warp_of_thread() == 0) memory_.largest.tell(0, memory_.largest_of_block);
    memory_.largest.wait_block();
    return logit_of_order(__reduce_max_sync(whole_warp, static_cast<unsigned>(memory_.largest.of_lane(0))));
  }

  __device__ bool find_cut(const TokenFilter& filter) {
    if (is_unordered(call_, filter)) return true;
    OnChipCut<Held, threads> cut(part_, memory_, scale_, filter.temperature, begin_of_part());
    if (!cut.find(filter, call_.joint, call_.categories)) return false;
    all_ = cut.all();
    is_listed_ = cut.is_listed();
    if (cut.least_key() == 0) return true;
    cut_ = logit_of_order(static_cast<std::uint32_t>(cut.least_key() >> 32));
    last_at_cut_ = category_of_key(cut.least_key()) - begin_of_part() + part_.before();
    return true;
  }

  // Whether an entry comes before the cut or is the last one kept.
  __device__ __forceinline__ bool is_early(float x, unsigned entry) const {
    if constexpr (kind != OnChip::cut) return true;
    return x > cut_ || (x == cut_ && entry <= last_at_cut_);
  }

  // Each thread's entries are adjacent, in groups of four.
  __device__ unsigned first_of_thread(unsigned thread) const { return 4 * part_.groups() * thread; }

  // Sums of threads, of warps and of the part. Threads start at different groups to avoid bank conflicts.
  __device__ void weigh() {
    const unsigned fours = part_.groups(), first = first_of_thread(threadIdx.x);
    if constexpr (kind == OnChip::draw && plain) {
      if (WeightSums<Held>::fit(4 * fours, scale_)) {
        const std::uint64_t sum = WeightSums<Held>(scale_).of(part_.logits() + first, 4 * fours);
        memory_.thread_sums[threadIdx.x] = sum;
        return join_threads(sum, 0, 0);
      }
    }
    const float nearest = nearest_logit(scale_);
    const std::uint64_t least = filtered ? memory_.least_weight : 1;
    std::uint64_t sum = 0, all = 0;
    unsigned kept = 0, at = min(threadIdx.x % 8, fours - 1);
    for (unsigned n = 0; n < fours; ++n) {
      const unsigned entry = first + 4 * at;
      const float4 x = part_.four(entry);
      at = at + 1 == fours ? 0 : at + 1;
      const auto take = [&](float logit, unsigned place, TokenDigits digits) {
        if (!filtered) {
          sum = plus_weight(sum, digits);
          return;
        }
        const std::uint64_t weight = plus_weight(0, digits);
        const bool keep = weight >= least && is_early(logit, place);
        sum += keep ? weight : 0;
        kept += keep ? 1 : 0;
        all += weight;
      };
      if (kind == OnChip::cut && fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)) < cut_) continue;
      if (!(fminf(fminf(x.x, x.y), fminf(x.z, x.w)) < nearest)) {
        take(x.x, entry, digits_of_near(x.x, scale_)), take(x.y, entry + 1, digits_of_near(x.y, scale_));
        take(x.z, entry + 2, digits_of_near(x.z, scale_)), take(x.w, entry + 3, digits_of_near(x.w, scale_));
      } else {
        take(x.x, entry, digits_of(x.x, scale_)), take(x.y, entry + 1, digits_of(x.y, scale_));
        take(x.z, entry + 2, digits_of(x.z, scale_)), take(x.w, entry + 3, digits_of(x.w, scale_));
      }
    }
    memory_.thread_sums[threadIdx.x] = sum;
    kept_ = kept;
    join_threads(sum, all, kept);
  }

  // The same if the list contains everything that is kept: each weight is added to the sum of its entry's thread.
  __device__ void weigh_listed() {
    if constexpr (kind == OnChip::cut) {
      unsigned* const thread_kept = memory_.counts_of_bins;  // the bins are no longer needed
      memory_.thread_sums[threadIdx.x] = 0;
      thread_kept[threadIdx.x] = 0;
      __syncthreads();
      const unsigned of_thread = 4 * part_.groups();
      for (unsigned n = threadIdx.x; n < memory_.listed; n += threads) {
        const unsigned entry = memory_.list[n];
        const std::uint64_t weight = kept_weight(entry);
        if (weight == 0) continue;
        add_halves(reinterpret_cast<unsigned*>(&memory_.thread_sums[entry / of_thread]), weight);
        atomicAdd(&thread_kept[entry / of_thread], 1u);
      }
      __syncthreads();
      kept_ = thread_kept[threadIdx.x];
      join_threads(memory_.thread_sums[threadIdx.x], 0, kept_);
    }
  }

  __device__ void join_threads(std::uint64_t sum, std::uint64_t all, unsigned kept) const {
    sum = sum_of_warp(sum);
    if (filtered) all = sum_of_warp(all), kept = __reduce_add_sync(whole_warp, kept);
    if (lane_of_thread() == 0) {
      memory_.warp_sums[warp_of_thread()] = sum;
      if (filtered) memory_.warp_all[warp_of_thread()] = all, memory_.warp_kept[warp_of_thread()] = kept;
    }
    __syncthreads();
    if (warp_of_thread() != 0) return;
    const int warp = lane_of_thread() % warps;
    const bool first = lane_of_thread() < warps;
    memory_.sums.tell(0, sum_of_warp(first ? memory_.warp_sums[warp] : 0));
    memory_.sums.tell(1, filtered ? sum_of_warp(first ? memory_.warp_all[warp] : 0) : 0);
    memory_.sums.tell(2, filtered ? __reduce_add_sync(whole_warp, first ? memory_.warp_kept[warp] : 0) : 0);
  }

  // One warp finds whether the target is in this block's part, and in which thread's interval.
  __device__ void find_part(float temperature) const {
    memory_.sums.wait_warp();
    const int lane = lane_of_thread();
    const std::uint64_t part = memory_.sums.of_lane(0), to_part = sum_to_lane(part);
    const std::uint64_t total = __shfl_sync(whole_warp, to_part, 31);
    std::uint64_t target = token_target(memory_.number, total);
    const int owner = lane_of_target(part, to_part, target);
    if constexpr (!plain) {
      if (lane == 0) memory_.owner = owner;
    }
    if (owner != cluster::rank()) return;
    const std::uint64_t of_warp = lane < warps ? memory_.warp_sums[lane] : 0;
    const int warp = lane_of_target(of_warp, sum_to_lane(of_warp), target);
    const std::uint64_t of_thread = memory_.thread_sums[32 * warp + lane];
    const int thread = 32 * warp + lane_of_target(of_thread, sum_to_lane(of_thread), target);
    find(target, total, first_of_thread(static_cast<unsigned>(thread)), temperature);
  }

  __device__ std::uint64_t kept_weight(unsigned entry) const {
    const float x = part_[entry];
    if (!is_early(x, entry)) return 0;
    const std::uint64_t weight = weight_of(x, scale_);
    return filtered && weight < memory_.least_weight ? 0 : weight;
  }

  // One warp finds the token whose interval contains the target, among the entries of a thread.
  __device__ void find(std::uint64_t target, std::uint64_t total, unsigned begin, float temperature) const {
    const unsigned end = begin + 4 * part_.groups();
    for (unsigned first = begin;; first += 32) {
      const unsigned entry = first + static_cast<unsigned>(lane_of_thread());
      const std::uint64_t mine = entry < end ? kept_weight(entry) : 0, to = sum_to_lane(mine);
      const bool it = target < to && target >= to - mine;
      if (it) drawn(entry, total, temperature);
      if constexpr (!plain) {
        if (call_.ranks != nullptr) tell_token(first, __ballot_sync(whole_warp, it));
      }
      const std::uint64_t here = __shfl_sync(whole_warp, to, 31);
      if (target < here) return;
      target -= here;
    }
  }

  // One warp sends the drawn token to all blocks, if it is one of these entries.
  __device__ void tell_token(unsigned first, unsigned drawn) const {
    if (drawn == 0) return;
    const unsigned entry = first + static_cast<unsigned>(__ffs(static_cast<int>(drawn))) - 1;
    memory_.token.tell(0, token_key(token_order(part_[entry] + 0.0f), category_of(entry)));
  }

  __device__ std::int64_t category_of(unsigned entry) const { return begin_of_part() + entry - part_.before(); }

  // Counts the categories that come before the token in the order.
  __device__ void rank() {
    __syncthreads();  // the owner is known
    memory_.token.wait_block();
    const std::uint64_t key = memory_.token.of[0][memory_.owner];
    const float x = logit_of_order(static_cast<std::uint32_t>(key >> 32));
    const std::int64_t lower =
        category_of_key(key) - begin_of_part() + part_.before();  // entries before it have lower categories
    unsigned before = 0;
    const auto look = [&](float logit, unsigned entry) {
      before += logit > x || (logit == x && entry < lower) ? 1 : 0;
    };
    PAPILIO_UNROLL_FEW
    for (unsigned group = 0; group < part_.groups(); ++group) {
      const unsigned entry = group * in_group + 4 * threadIdx.x;
      const float4 four = part_.four(entry);
      look(four.x, entry), look(four.y, entry + 1), look(four.z, entry + 2), look(four.w, entry + 3);
    }
    before = __reduce_add_sync(whole_warp, before);
    if (lane_of_thread() == 0) atomicAdd(cluster::at(&memory_.rank, 0), before);
    cluster::sync();
    if (cluster::rank() == 0 && threadIdx.x == 0) call_.ranks[row_] = static_cast<std::int32_t>(memory_.rank);
  }

  __device__ void drawn(unsigned entry, std::uint64_t total, float temperature) const {
    call_.tokens[row_] = static_cast<std::int32_t>(category_of(entry));
    if (call_.log_probabilities != nullptr)
      call_.log_probabilities[row_] =
          log_probability(part_[entry], scale_.largest, temperature, log_of_total(total, scale_.unit_bits));
    put(call_.status, row_, TokenStatus::ok);
    if (!filtered) return;
    std::uint64_t all = 0, kept = 0;
    for (int block = 0; block < cluster::size(); ++block) {
      all += memory_.sums.of[1][block];
      kept += memory_.sums.of[2][block];
    }
    put(call_.kept_counts, row_, static_cast<std::int32_t>(kept));
    put(call_.kept_masses, row_, mass_of(total, all_ != 0 ? all_ : all));
  }

  // Lists what is kept by ascending category. Each thread computes where its entries go.
  __device__ void list(float temperature) const {
    memory_.sums.wait_block();
    std::uint64_t total = 0, kept = 0, place = 0;
    for (int block = 0; block < cluster::size(); ++block) {
      total += memory_.sums.of[0][block];
      kept += memory_.sums.of[2][block];
      place += block < cluster::rank() ? memory_.sums.of[2][block] : 0;
    }
    if (threadIdx.x == 0) memory_.log_total = log_of_total(total, scale_.unit_bits);
    std::uint64_t of_block;
    place += sum_to_thread<threads>(std::uint64_t{kept_}, memory_.scratch, of_block) - kept_;
    const auto room = static_cast<std::uint64_t>(call_.room), last = min(room, place + kept_);
    for (unsigned entry = first_of_thread(threadIdx.x); place < last; ++entry) {
      if (kept_weight(entry) == 0) continue;
      put_entry(call_, row_, static_cast<std::int64_t>(place++), static_cast<std::int32_t>(category_of(entry)),
                log_probability(part_[entry], scale_.largest, temperature, memory_.log_total));
    }
    if (cluster::rank() != 0) return;
    for (std::uint64_t n = kept + threadIdx.x; n < room; n += threads)
      put_entry(call_, row_, static_cast<std::int64_t>(n), -1, -__builtin_inff());
  }

  const TokenCall& call_;
  Memory& memory_;
  StagedPart<Held> part_;
  std::int64_t row_;
  TokenScale scale_ = {};
  float cut_ = -__builtin_inff();
  std::int64_t last_at_cut_ = std::int64_t{1} << 32;  // as an entry
  std::uint64_t all_ = 0;                             // the sum of all weights of a row with a cut
  unsigned kept_ = 0;                                 // of this thread's entries, how many are kept
  bool is_listed_ = false;                            // the list contains everything that is kept
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
