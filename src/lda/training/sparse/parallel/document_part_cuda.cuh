#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/packing_cuda.cuh"

// The document part of a token's weights.

namespace papilio::lda {

// A document's list, and the old topic of a token in it.
template <class Packing>
struct ListOfToken {
  std::uint32_t list;  // in units of list_lanes entries
  std::uint32_t entries;
  std::int32_t old;
};

// Running sums of the lanes of a list, for the thread that has the token.
template <class Packing>
class DocumentPart {
 public:
  using Entry = typename Packing::Entry;

  __device__ __forceinline__ DocumentPart(const float* phi, const Entry* lists, const ListOfToken<Packing>& token)
      : phi_(phi),
        list_(lists + std::int64_t{token.list} * list_lanes),
        depths_((token.entries + list_lanes - 1) / list_lanes) {
    add_lanes(token.old);
    // An empty place looks like topic 0, which is the first of a list if it is there.
    if (token.old == 0) {
      old_entry_ = list_[0];
      in_lane_ = 0;
      lane_ = 0;
    }
    add_up();
  }

  __device__ __forceinline__ float total() const { return sum_[list_lanes - 1]; }

  // Of the old topic: its count; the sum of its lane before it; and what lanes before its own have.
  __device__ __forceinline__ std::uint32_t old_count() const { return count_of<Packing>(old_entry_); }
  __device__ __forceinline__ float before_old() const { return in_lane_; }
  __device__ __forceinline__ float before_old_lane() const { return before(lane_); }

  // The entry in which `target` < total lies.
  __device__ __forceinline__ Entry find(double target) const {
    // A float is more than a double where it is more than that rounded down.
    const float bound = __double2float_rd(target);
    int lane = 0;
#pragma unroll
    for (int i = 0; i < list_lanes - 1; ++i) lane += sum_[i] > bound ? 0 : 1;
    return walk(lane, target - static_cast<double>(before(lane)));
  }

 private:
  __device__ __forceinline__ float weight(Entry entry) const {
    return count_as_float<Packing>(entry) * phi_[topic_of<Packing>(entry)];
  }

  // The sum of each lane, and the old topic's place.
  __device__ __forceinline__ void add_lanes(std::int32_t old) {
#pragma unroll
    for (int i = 0; i < list_lanes; ++i) sum_[i] = 0;
    for (std::uint32_t j = 0; j < depths_; ++j) {
      Entry entry[list_lanes];
      load_entries(list_ + std::uint64_t{list_lanes} * j, entry);
#pragma unroll
      for (int i = 0; i < list_lanes; ++i) {
        if (topic_of<Packing>(entry[i]) == static_cast<std::uint32_t>(old)) {
          old_entry_ = entry[i];
          in_lane_ = sum_[i];
          lane_ = i;
        }
        sum_[i] = sum_[i] + weight(entry[i]);
      }
    }
  }

  // Inclusive sums over the lanes, in the order of Sklansky: in step w = 1, 2, 4 a lane that has bit w adds
  // the last lane of the w before its own.
  __device__ __forceinline__ void add_up() {
#pragma unroll
    for (int w = 1; w < list_lanes; w *= 2) {
#pragma unroll
      for (int i = 0; i < list_lanes; ++i)
        if ((i & w) != 0) sum_[i] = sum_[(i & ~(2 * w - 1)) + w - 1] + sum_[i];
    }
  }

  __device__ __forceinline__ float before(int lane) const {
    float sum = 0;
#pragma unroll
    for (int i = 1; i < list_lanes; ++i)
      if (lane == i) sum = sum_[i - 1];
    return sum;
  }

  // Down one lane: the first entry with a running sum above `rest`, or the one that completes the lane's sum.
  __device__ __forceinline__ Entry walk(int lane, double rest) const {
    const float bound = __double2float_rd(rest);
    float sum = 0;
    Entry found = 0;
    for (std::uint32_t j = 0; j < depths_; ++j) {
      const Entry entry = list_[std::uint64_t{list_lanes} * j + lane];
      const float next = sum + weight(entry);
      if (next != sum) found = entry;
      sum = next;
      if (sum > bound) break;
    }
    return found;
  }

  const float* const phi_;
  const Entry* const list_;
  const std::uint32_t depths_;
  float sum_[list_lanes];
  Entry old_entry_ = 0;
  float in_lane_ = 0;
  int lane_ = 0;
};

}  // namespace papilio::lda
