#pragma once

#include <cstdint>
#include <type_traits>

#include "lda/training/sparse/parallel/entries_cuda.cuh"
#include "lda/training/sparse/parallel/token_weights.h"

// The document part of a token's weights: one thread computes the sums of document_part_kernel.h.

namespace papilio::lda {

// A document's list, and the old topic of a token in it. A document of one token has no
// stored list; its size is then 0.
struct ListOfToken {
  sparse::ListPlace list;
  std::int32_t old;
  bool is_short;  // whether its entries are short
};

// Inclusive sums over the lanes in Sklansky's order: in step w = 1, 2, 4 a lane whose number has bit w adds the
// last lane of the preceding w lanes.
__device__ __forceinline__ void add_up_lanes(float (&sum)[sparse::lanes]) {
#pragma unroll
  for (std::uint32_t w = 1; w < sparse::lanes; w *= 2) {
#pragma unroll
    for (std::uint32_t i = 0; i < sparse::lanes; ++i)
      if ((i & w) != 0) sum[i] = sum[(i & ~(2 * w - 1)) + w - 1] + sum[i];
  }
}

// Given inclusive sums: the sum before a lane, and the first lane whose sum exceeds the bound, or the last lane.
__device__ __forceinline__ float before_lane(const float (&sum)[sparse::lanes], int lane) {
  float before = 0;
#pragma unroll
  for (int i = 1; i < static_cast<int>(sparse::lanes); ++i)
    if (lane == i) before = sum[i - 1];
  return before;
}
__device__ __forceinline__ int lane_of(const float (&sum)[sparse::lanes], float bound) {
  int lane = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < sparse::lanes - 1; ++i) lane += sum[i] > bound ? 0 : 1;
  return lane;
}

// A depth of a list: `lanes` entries, one per lane. If phi is scaled, a count is multiplied as the float that has its
// bits, so no conversion is needed (PaddedTopicMasses::scale).

// Short entries. If counts have at most 7 bits, those in the upper halves of words are used in place.
template <bool few_bits>
class ShortDepths {
 public:
  using Depth = uint4;
  static constexpr std::uint32_t at_a_time = 2;  // depths per memory sector, which the L1 cache may not keep for long

  __device__ __forceinline__ ShortDepths(const void* list, ShortEntries entries)
      : list_(static_cast<const Depth*>(list)),
        bits_(entries.count_bits),
        mask_(entries.count_mask()),
        places_(0xFFFFu >> bits_ << 2) {}

  __device__ __forceinline__ Depth load(std::uint32_t j) const { return __ldg(list_ + j); }
  __device__ __forceinline__ std::uint32_t load_entry(std::uint32_t at) const {
    return __ldg(reinterpret_cast<const std::uint16_t*>(list_) + at);
  }

  // 4 k for topic k: its byte offset in a row of floats.
  __device__ __forceinline__ std::uint32_t place(const Depth& x, int i) const {
    const std::uint32_t pair = pair_of(x, i / 2);
    return pair >> (i % 2 == 0 ? bits_ - 2 : bits_ + 14) & places_;
  }
  __device__ __forceinline__ std::uint32_t place(std::uint32_t entry) const { return entry >> (bits_ - 2) & places_; }

  __device__ __forceinline__ float count(const Depth& x, int i) const {
    const std::uint32_t pair = pair_of(x, i / 2);
    if (few_bits && i % 2 == 1) return __uint_as_float(pair & mask_ << 16);
    return __uint_as_float((i % 2 == 0 ? pair : pair >> 16) & mask_);
  }
  __device__ __forceinline__ float count(std::uint32_t entry) const { return __uint_as_float(entry & mask_); }
  __device__ __forceinline__ std::uint32_t whole_count(const Depth& x, int i) const {
    return pair_of(x, i / 2) >> (i % 2 == 0 ? 0 : 16) & mask_;
  }
  __device__ __forceinline__ static float unscale(int i) { return few_bits && i % 2 == 1 ? 0x1p7f : 0x1p23f; }

 private:
  __device__ __forceinline__ static std::uint32_t pair_of(const Depth& x, int i) {
    return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w;
  }

  const Depth* const list_;
  const int bits_;
  const std::uint32_t mask_, places_;
};

class NarrowDepths {
 public:
  struct Depth {
    sparse::NarrowEntry entry[sparse::lanes];
  };
  static constexpr std::uint32_t at_a_time = 1;

  __device__ __forceinline__ NarrowDepths(const void* list, ShortEntries)
      : list_(static_cast<const sparse::NarrowEntry*>(list)) {}

  __device__ __forceinline__ Depth load(std::uint32_t j) const {
    Depth depth;
    load_entries(list_ + std::uint64_t{sparse::lanes} * j, depth.entry);
    return depth;
  }
  __device__ __forceinline__ std::uint32_t load_entry(std::uint32_t at) const {
    return __ldg(reinterpret_cast<const std::uint32_t*>(list_) + at);
  }
  __device__ __forceinline__ static std::uint32_t place(std::uint32_t entry) { return entry >> 14 & ~3u; }
  __device__ __forceinline__ static std::uint32_t place(const Depth& x, int i) { return place(x.entry[i].bits); }
  __device__ __forceinline__ static float count(std::uint32_t entry) { return __uint_as_float(entry & 0xFFFFu); }
  __device__ __forceinline__ static float count(const Depth& x, int i) { return count(x.entry[i].bits); }
  __device__ __forceinline__ static std::uint32_t whole_count(const Depth& x, int i) { return x.entry[i].count(); }
  __device__ __forceinline__ static float unscale(int) { return 0x1p23f; }

 private:
  const sparse::NarrowEntry* const list_;
};

// The lane sums of a list, for the thread that draws the token. Word must have phi(k) and scaled_phi(4 k).
template <class Entry, class Word>
class DocumentPart {
 public:
  __device__ __forceinline__ DocumentPart(const Word& word, const SparseDraw<Entry>& draw, const ListOfToken& token)
      : word_(word),
        draw_(draw),
        list_(list_at(draw.lists, token.list.group)),
        marked_size_(token.list.size),
        is_short_(may_be_short && token.is_short) {
#pragma unroll
    for (int i = 0; i < lanes; ++i) sum_[i] = 0;
    const auto old = static_cast<std::uint32_t>(token.old);
    if (marked_size_ == 0) {  // the token is the whole document
      old_count_ = 1;
      sum_[0] = word_.phi(token.old);
    } else if (!is_scaled()) {
      if (is_short_)
        add_short_lanes(old);
      else
        add_lanes(old);
    } else if constexpr (may_be_short) {
      if (!is_short_)
        add_scaled(NarrowDepths(list_, draw.short_entries), old);
      else if (draw.short_entries.count_bits <= 7)
        add_scaled(ShortDepths<true>(list_, draw.short_entries), old);
      else
        add_scaled(ShortDepths<false>(list_, draw.short_entries), old);
    }
    add_up_lanes(sum_);
  }

  __device__ __forceinline__ float total() const { return sum_[lanes - 1]; }

  // For the old topic: its count, and its place in the sums.
  __device__ __forceinline__ std::uint32_t old_count() const { return old_count_; }
  __device__ __forceinline__ sparse::EntryPart old_part(std::int32_t old) const {
    return sparse::entry_part(before_lane(sum_, lane_), in_lane_,
                              in_lane_ + static_cast<float>(old_count_) * word_.phi(old));
  }

  // The topic of the entry into which `target` < total falls; `old` if there is no list.
  __device__ __forceinline__ std::int32_t find(double target, std::int32_t old) const {
    if (marked_size_ == 0) return old;
    const int lane = lane_of(sum_, sparse::rounded_down(target));
    const float bound = sparse::rounded_down(target - static_cast<double>(before_lane(sum_, lane)));
    if constexpr (may_be_short) {
      if (is_scaled()) {
        return is_short_ ? walk_scaled(ShortDepths<false>(list_, draw_.short_entries), lane, bound)
                         : walk_scaled(NarrowDepths(list_, draw_.short_entries), lane, bound);
      }
    }
    return walk(lane, bound);
  }

 private:
  static constexpr int lanes = static_cast<int>(sparse::lanes);

  static constexpr bool may_be_short = std::is_same_v<Entry, sparse::NarrowEntry>;

  __device__ __forceinline__ std::uint32_t size() const { return is_short_ ? marked_size_ & ~has_large : marked_size_; }
  __device__ __forceinline__ bool some_are_large() const { return is_short_ && (marked_size_ & has_large) != 0; }
  __device__ __forceinline__ std::uint32_t depths() const { return (size() + lanes - 1) / lanes; }
  __device__ __forceinline__ const std::uint16_t* short_list() const {
    return reinterpret_cast<const std::uint16_t*>(list_);
  }
  // Whether all counts of the list may be multiplied as floats with their bits.
  __device__ __forceinline__ bool is_scaled() const {
    return may_be_short && draw_.masses.scale != 1 && !some_are_large();
  }

  // Computes the sum of each lane, and the old topic's place: it is in the first depth whose last topic is not before
  // it. `before` adds up the depths before that one. Empty places repeat the list's last topic.
  template <class Depths>
  __device__ __forceinline__ void add_scaled(const Depths depths_of, std::uint32_t old) {
    float before[lanes] = {};
    std::uint32_t of_old = 0;
    const std::uint32_t end = depths();
    const auto add_depth = [&](const typename Depths::Depth& depth, std::uint32_t j) {
      const bool is_before = depths_of.place(depth, lanes - 1) < 4 * old;
      const float once = is_before ? 1.0f : 0.0f;
      if (is_before) of_old = j + 1;
#pragma unroll
      for (int i = 0; i < lanes; ++i) {
        const float weight = depths_of.count(depth, i) * word_.scaled_phi(depths_of.place(depth, i));
        sum_[i] = sum_[i] + weight;
        before[i] = __fmaf_rn(once, weight, before[i]);  // rounded once, as the sum is
      }
    };
    for (std::uint32_t j = 0; j < end; j += Depths::at_a_time) {
      typename Depths::Depth depth[Depths::at_a_time];
#pragma unroll
      for (std::uint32_t i = 0; i < Depths::at_a_time; ++i) {
        if (i == 0 || j + i < end) depth[i] = depths_of.load(j + i);
      }
      add_depth(depth[0], j);
      if constexpr (Depths::at_a_time == 2) {
        if (j + 1 < end) add_depth(depth[1], j + 1);
      }
    }
    const typename Depths::Depth depth = depths_of.load(of_old);
#pragma unroll
    for (int i = lanes - 1; i >= 0; --i) {
      if (depths_of.place(depth, i) == 4 * old) {
        old_count_ = depths_of.whole_count(depth, i);
        in_lane_ = before[i] * Depths::unscale(i);
        lane_ = i;
      }
      sum_[i] *= Depths::unscale(i);
    }
  }

  __device__ __forceinline__ void add(int lane, std::uint32_t topic, std::uint32_t count, float as_float,
                                      std::uint32_t old) {
    if (topic == old && count != 0) {
      old_count_ = count;
      in_lane_ = sum_[lane];
      lane_ = lane;
    }
    sum_[lane] = sum_[lane] + as_float * word_.phi(static_cast<std::int32_t>(topic));
  }

  // The same without a scale.
  __device__ __forceinline__ void add_lanes(std::uint32_t old) {
    const std::uint32_t end = depths();
    for (std::uint32_t j = 0; j < end; ++j) {
      Entry entry[lanes];
      load_entries(list_ + std::uint64_t{lanes} * j, entry);
#pragma unroll
      for (int i = 0; i < lanes; ++i) add(i, entry[i].topic(), entry[i].count(), count_as_float(entry[i]), old);
    }
  }

  // The same for short entries, some of which may be large.
  __device__ __forceinline__ void add_short_lanes(std::uint32_t old) {
    const auto* const at = reinterpret_cast<const uint4*>(list_);
    const std::uint32_t end = depths(), mask = draw_.short_entries.count_mask();
    const sparse::NarrowEntry* large = large_entries(short_list(), size());
    for (std::uint32_t j = 0; j < end; ++j) {
      const uint4 depth = __ldg(at + j);
      const std::uint32_t pairs[lanes / 2] = {depth.x, depth.y, depth.z, depth.w};
#pragma unroll
      for (int i = 0; i < lanes; ++i) {
        const std::uint32_t entry = i % 2 == 0 ? pairs[i / 2] & 0xFFFFu : pairs[i / 2] >> 16;
        std::uint32_t count = entry & mask;
        if (count == mask) count = (large++)->count();
        add(i, entry >> draw_.short_entries.count_bits, count, static_cast<float>(count), old);
      }
    }
  }

  // For the entry at a place: its topic and count.
  __device__ __forceinline__ std::uint32_t topic_of(std::uint32_t at) const {
    return is_short_ ? static_cast<std::uint32_t>(short_list()[at]) >> draw_.short_entries.count_bits
                     : list_[at].topic();
  }
  __device__ __forceinline__ std::uint32_t count_of(std::uint32_t at) const {
    if (!is_short_) return list_[at].count();
    const std::uint32_t entry = short_list()[at], count = entry & draw_.short_entries.count_mask();
    if (!some_are_large() || count != draw_.short_entries.count_mask()) return count;
    return large_count(large_entries(short_list(), size()), entry >> draw_.short_entries.count_bits);
  }

  // Walks down a lane: the first entry whose running sum exceeds the bound, or the entry that completes the sum.
  __device__ __forceinline__ std::int32_t walk(int lane, float bound) const {
    const std::uint32_t end = depths();
    float sum = 0;
    std::uint32_t found = 0;
    for (std::uint32_t j = 0; j < end; ++j) {
      const std::uint32_t at = lanes * j + static_cast<std::uint32_t>(lane);
      const std::uint32_t topic = topic_of(at);
      const float next = sum + static_cast<float>(count_of(at)) * word_.phi(static_cast<std::int32_t>(topic));
      if (next != sum) found = topic;
      sum = next;
      if (sum > bound) break;
    }
    return static_cast<std::int32_t>(found);
  }

  // The same with scaled sums, several entries at a time. If the scaled bound is rounded, it is below all sums but 0.
  template <class Depths>
  __device__ __forceinline__ std::int32_t walk_scaled(const Depths depths_of, int lane, float bound) const {
    constexpr int at_a_time = 4;
    const float scaled_bound = bound * (1 / Depths::unscale(0));
    const std::uint32_t end = depths();
    float sum = 0;
    std::uint32_t found = 0;
    for (std::uint32_t first = 0; first < end; first += at_a_time) {
      std::uint32_t entry[at_a_time];
#pragma unroll
      for (int i = 0; i < at_a_time; ++i) {
        const std::uint32_t j = first + static_cast<std::uint32_t>(i);
        entry[i] = j < end ? depths_of.load_entry(lanes * j + static_cast<std::uint32_t>(lane)) : 0;
      }
#pragma unroll
      for (int i = 0; i < at_a_time; ++i) {
        const float next = sum + depths_of.count(entry[i]) * word_.scaled_phi(depths_of.place(entry[i]));
        if (!(sum > scaled_bound) && next != sum) found = entry[i];
        sum = next;
      }
      if (sum > scaled_bound) break;
    }
    return static_cast<std::int32_t>(depths_of.place(found) / 4);
  }

  const Word& word_;
  const SparseDraw<Entry>& draw_;
  const Entry* const list_;
  const std::uint32_t marked_size_;  // for short entries it may include has_large
  const bool is_short_;
  float sum_[lanes];
  std::uint32_t old_count_ = 0;  // tokens that have the old topic
  float in_lane_ = 0;
  int lane_ = 0;
};

}  // namespace papilio::lda
