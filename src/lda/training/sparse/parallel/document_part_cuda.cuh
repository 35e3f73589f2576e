#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/entries_cuda.cuh"
#include "lda/training/sparse/parallel/token_weights.h"

// The document part of a token's weights: the sums of document_part_kernel.h, by one thread.

namespace papilio::lda {

// A document's list, and the old topic of a token in it.
struct ListOfToken {
  sparse::ListPlace list;
  std::int32_t old;
};

// Sums of the lanes of a list, for the thread that has the token.
template <class Entry>
class DocumentPart {
 public:
  __device__ __forceinline__ DocumentPart(const float* phi, const Entry* lists, const ListOfToken& token)
      : phi_(phi),
        list_(lists + std::int64_t{token.list.group} * lanes),
        depths_((token.list.size + lanes - 1) / lanes) {
    add_lanes(token.old);
    // An empty place looks like topic 0, which is the first of a list if it is there.
    if (token.old == 0) {
      old_entry_ = list_[0];
      in_lane_ = 0;
      lane_ = 0;
    }
    add_up();
  }

  __device__ __forceinline__ float total() const { return sum_[lanes - 1]; }

  // Of the old topic: its count, and where it is in the sums.
  __device__ __forceinline__ std::uint32_t old_count() const { return old_entry_.count(); }
  __device__ __forceinline__ sparse::EntryPart old_part(std::int32_t old) const {
    return sparse::entry_part(before(lane_), in_lane_, in_lane_ + static_cast<float>(old_entry_.count()) * phi_[old]);
  }

  // The entry in which `target` < total lies.
  __device__ __forceinline__ Entry find(double target) const {
    const float bound = sparse::rounded_down(target);
    int lane = 0;
#pragma unroll
    for (int i = 0; i < lanes - 1; ++i) lane += sum_[i] > bound ? 0 : 1;
    return walk(lane, target - static_cast<double>(before(lane)));
  }

 private:
  static constexpr int lanes = static_cast<int>(sparse::lanes);

  __device__ __forceinline__ float weight(Entry entry) const { return count_as_float(entry) * phi_[entry.topic()]; }

  // The sum of each lane, and the old topic's place.
  __device__ __forceinline__ void add_lanes(std::int32_t old) {
#pragma unroll
    for (int i = 0; i < lanes; ++i) sum_[i] = 0;
    for (std::uint32_t j = 0; j < depths_; ++j) {
      Entry entry[lanes];
      load_entries(list_ + std::uint64_t{lanes} * j, entry);
#pragma unroll
      for (int i = 0; i < lanes; ++i) {
        if (entry[i].topic() == static_cast<std::uint32_t>(old)) {
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
    for (int w = 1; w < lanes; w *= 2) {
#pragma unroll
      for (int i = 0; i < lanes; ++i)
        if ((i & w) != 0) sum_[i] = sum_[(i & ~(2 * w - 1)) + w - 1] + sum_[i];
    }
  }

  __device__ __forceinline__ float before(int lane) const {
    float sum = 0;
#pragma unroll
    for (int i = 1; i < lanes; ++i)
      if (lane == i) sum = sum_[i - 1];
    return sum;
  }

  // Down one lane: the first entry with a running sum above `rest`, or the one that completes the lane's sum.
  __device__ __forceinline__ Entry walk(int lane, double rest) const {
    const float bound = sparse::rounded_down(rest);
    float sum = 0;
    Entry found = {};
    for (std::uint32_t j = 0; j < depths_; ++j) {
      const Entry entry = list_[std::uint64_t{lanes} * j + lane];
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
  float sum_[lanes];
  Entry old_entry_ = {};
  float in_lane_ = 0;
  int lane_ = 0;
};

}  // namespace papilio::lda
