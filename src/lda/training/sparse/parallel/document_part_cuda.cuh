#pragma once

#include <cstdint>
#include <type_traits>

#include "lda/training/sparse/parallel/entries_cuda.cuh"
#include "lda/training/sparse/parallel/token_weights.h"

// The document part of a token's weights: the sums of document_part_kernel.h, by one thread.

namespace papilio::lda {

// A document's list, and the old topic of a token in it. The list of a document of one token is not kept: its size is
// 0.
struct ListOfToken {
  sparse::ListPlace list;
  std::int32_t old;
  bool is_short;  // its entries
};

// Inclusive sums over the lanes, in the order of Sklansky: in step w = 1, 2, 4 a lane that has bit w adds
// the last lane of the w before its own.
__device__ __forceinline__ void add_up_lanes(float (&sum)[sparse::lanes]) {
#pragma unroll
  for (std::uint32_t w = 1; w < sparse::lanes; w *= 2) {
#pragma unroll
    for (std::uint32_t i = 0; i < sparse::lanes; ++i)
      if ((i & w) != 0) sum[i] = sum[(i & ~(2 * w - 1)) + w - 1] + sum[i];
  }
}

// Of inclusive sums: what is before a lane, and the first lane whose sum exceeds the bound, or the last.
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

// Sums of the lanes of a list, for the thread that has the token. Word: phi(k).
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
    if (!is_short_) {
      add_lanes(old);
    } else if (some_are_large()) {
      add_short_lanes<true>(old);
    } else {
      add_short_lanes<false>(old);
    }
    if (marked_size_ == 0) {  // the token is all that there is
      old_count_ = 1;
      sum_[0] = word_.phi(token.old);
    } else if (old == 0) {  // an empty place looks like topic 0, which is the first of a list if it is there
      old_count_ = count_of(0);
      in_lane_ = 0;
      lane_ = 0;
    }
    add_up_lanes(sum_);
  }

  __device__ __forceinline__ float total() const { return sum_[lanes - 1]; }

  // Of the old topic: its count, and where it is in the sums.
  __device__ __forceinline__ std::uint32_t old_count() const { return old_count_; }
  __device__ __forceinline__ sparse::EntryPart old_part(std::int32_t old) const {
    return sparse::entry_part(before_lane(sum_, lane_), in_lane_,
                              in_lane_ + static_cast<float>(old_count_) * word_.phi(old));
  }

  // The topic of the entry in which `target` < total lies; `old` where there is no list.
  __device__ __forceinline__ std::int32_t find(double target, std::int32_t old) const {
    if (marked_size_ == 0) return old;
    const int lane = lane_of(sum_, sparse::rounded_down(target));
    return walk(lane, target - static_cast<double>(before_lane(sum_, lane)));
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

  __device__ __forceinline__ void add(int lane, std::uint32_t topic, std::uint32_t count, float as_float,
                                      std::uint32_t old) {
    if (topic == old) {
      old_count_ = count;
      in_lane_ = sum_[lane];
      lane_ = lane;
    }
    sum_[lane] = sum_[lane] + as_float * word_.phi(static_cast<std::int32_t>(topic));
  }

  // The sum of each lane, and the old topic's place.
  __device__ __forceinline__ void add_lanes(std::uint32_t old) {
    const std::uint32_t end = depths();
    for (std::uint32_t j = 0; j < end; ++j) {
      Entry entry[lanes];
      load_entries(list_ + std::uint64_t{lanes} * j, entry);
#pragma unroll
      for (int i = 0; i < lanes; ++i) add(i, entry[i].topic(), entry[i].count(), count_as_float(entry[i]), old);
    }
  }

  // The same of short entries; a depth is on its way while the one before it is added.
  template <bool with_large>
  __device__ __forceinline__ void add_short_lanes(std::uint32_t old) {
    const auto* const at = reinterpret_cast<const uint4*>(list_);
    const std::uint32_t end = depths(), mask = draw_.short_entries.count_mask();
    const sparse::NarrowEntry* large = with_large ? large_entries(short_list(), size()) : nullptr;
    uint4 next = __ldg(at);
    for (std::uint32_t j = 0; j < end; ++j) {
      const std::uint32_t pairs[lanes / 2] = {next.x, next.y, next.z, next.w};
      if (j + 1 < end) next = __ldg(at + j + 1);
#pragma unroll
      for (int i = 0; i < lanes; ++i) {
        const std::uint32_t pair = pairs[i / 2];
        const std::uint32_t topic = i % 2 == 0 ? (pair & 0xFFFFu) >> draw_.short_entries.count_bits
                                               : pair >> (16 + draw_.short_entries.count_bits);
        const std::uint32_t short_count = (i % 2 == 0 ? pair : pair >> 16) & mask;
        std::uint32_t count = short_count;
        if constexpr (with_large) {
          if (short_count == mask) count = (large++)->count();
        }
        add(i, topic, count, __uint_as_float(count | 0x4B00'0000u) - 0x1p23f, old);
      }
    }
  }

  // Of the entry at a place: its topic and count.
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

  // Down one lane: the first entry with a running sum above `rest`, or the one that completes the lane's sum.
  __device__ __forceinline__ std::int32_t walk(int lane, double rest) const {
    const float bound = sparse::rounded_down(rest);
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

  const Word& word_;
  const SparseDraw<Entry>& draw_;
  const Entry* const list_;
  const std::uint32_t marked_size_;  // of short entries, perhaps with has_large
  const bool is_short_;
  float sum_[lanes];
  std::uint32_t old_count_ = 0;  // of the old topic
  float in_lane_ = 0;
  int lane_ = 0;
};

}  // namespace papilio::lda
