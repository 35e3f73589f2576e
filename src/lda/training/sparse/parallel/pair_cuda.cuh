#pragma once

#include <cstdint>

#include "collective/block.cuh"
#include "lda/training/sparse/parallel/document_part_cuda.cuh"

// For many tokens of one word in one document: a block adds up the document's list once for all of them, and keeps
// every running sum, which each token's thread then searches. The sums are those of document_part_cuda.cuh.

namespace papilio::lda {

// Computes the running sums of a list's lanes. `running`, in shared memory, has room for the list's entries.
// Called by all threads of the block.
template <class Entry, int threads, class Word>
__device__ __forceinline__ void add_up_list(const Word& word, const Entry* list, std::uint32_t size, float* running) {
  cuda::collective::wait_for_the_others<threads>();  // some may still search the previous list
  for (std::uint32_t e = threadIdx.x; e < size; e += threads) {
    running[e] = count_as_float(list[e]) * word.phi(static_cast<std::int32_t>(list[e].topic()));
  }
  cuda::collective::wait_for_the_others<threads>();
  if (threadIdx.x < sparse::lanes) {
    float sum = 0;
#pragma unroll 8
    for (std::uint32_t e = threadIdx.x; e < size; e += sparse::lanes) {
      sum = sum + running[e];
      running[e] = sum;
    }
  }
  cuda::collective::wait_for_the_others<threads>();
}

// Takes the place of DocumentPart for a token whose list has been added up.
template <class Entry>
class DocumentPartOfPair {
 public:
  __device__ __forceinline__ DocumentPartOfPair(const Entry* list, std::uint32_t size, const float* running,
                                                std::int32_t old)
      : list_(list), running_(running), size_(size) {
#pragma unroll
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      sum_[lane] = lane < size ? running[(size - 1 - lane) / lanes * lanes + lane] : 0;
    }
    add_up_lanes(sum_);
    std::uint32_t left = size;  // finds the old topic, which is in the list
    while (left > 1) {
      const std::uint32_t half = left / 2;
      if (list[at_ + half].topic() <= static_cast<std::uint32_t>(old)) at_ += half;
      left -= half;
    }
    old_count_ = list[at_].count();
  }

  __device__ __forceinline__ float total() const { return sum_[lanes - 1]; }
  __device__ __forceinline__ std::uint32_t old_count() const { return old_count_; }
  __device__ __forceinline__ sparse::EntryPart old_part(std::int32_t) const {
    const float in_lane = at_ < lanes ? 0 : running_[at_ - lanes];
    return sparse::entry_part(before_lane(sum_, static_cast<int>(at_ % lanes)), in_lane, running_[at_]);
  }

  __device__ __forceinline__ std::int32_t find(double target, std::int32_t) const {
    const int lane = lane_of(sum_, sparse::rounded_down(target));
    const double rest = target - static_cast<double>(before_lane(sum_, lane));
    const Entry found = walk(static_cast<std::uint32_t>(lane), sparse::rounded_down(rest));
    return static_cast<std::int32_t>(found.topic());
  }

 private:
  static constexpr std::uint32_t lanes = sparse::lanes;

  // The first entry of a lane whose running sum exceeds the bound, or the entry that completes the lane's sum.
  __device__ __forceinline__ Entry walk(std::uint32_t lane, float bound) const {
    if (lane >= size_) return {};
    const std::uint32_t last = (size_ - 1 - lane) / lanes;
    const float sum = running_[last * lanes + lane];
    if (sum == 0) return {};
    const bool is_above = sum > bound;
    std::uint32_t found = 0, left = last;
    while (left > 0) {
      const std::uint32_t half = left / 2;
      const float until = running_[(found + half) * lanes + lane];
      if (is_above ? until > bound : until >= sum) {
        left = half;
      } else {
        found += half + 1;
        left -= half + 1;
      }
    }
    return list_[found * lanes + lane];
  }

  const Entry* const list_;
  const float* const running_;
  const std::uint32_t size_;
  float sum_[lanes];
  std::uint32_t at_ = 0;  // where the old topic is
  std::uint32_t old_count_ = 0;
};

}  // namespace papilio::lda
