#pragma once

#include <cstdint>

#include "sampling/tokens/first/first_collection_cuda.cuh"
#include "warp/cuda_warp.cuh"

// The draw among the first k categories of a row, made by one block.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Draws from the first n categories of a row, which are sorted. Used by one block.
class FirstDraw {
 public:
  __device__ FirstDraw(const TokenCall& call, FirstMemory& memory, std::int64_t row, const TokenFilter& filter, int n)
      : call_(call), memory_(memory), row_(row), filter_(filter), n_(n) {}

  __device__ void draw() {
    const float temperature = filter_.temperature == 0 ? 1.0f : filter_.temperature;
    const int unit_bits = token_unit_bits(call_.categories);
    const TokenScale scale = token_scale(logit(0), temperature, unit_bits);
    for (int j = static_cast<int>(threadIdx.x); j < n_; j += first_threads)
      memory_.weights[j] = token_weights<warp::CudaWarp<32>>(logit(j), scale);
    __syncthreads();
    if (filter_.temperature == 0) n_ = 1;
    if (filter_.temperature != 0 && filter_.top_p < 1) n_ = keep_share();
    const std::uint64_t least = least_weight(filter_.temperature == 0 ? 0 : filter_.min_p, unit_bits);
    std::uint64_t mine = 0, total;
    unsigned some = 0, kept;
    for (int j = static_cast<int>(threadIdx.x); j < n_; j += first_threads) {
      if (memory_.weights[j] < least) memory_.weights[j] = 0;
      mine += memory_.weights[j];
      some += memory_.weights[j] != 0 ? 1 : 0;
    }
    sum_to_thread<first_threads>(mine, memory_.sums, total);
    sum_to_thread<first_threads>(some, memory_.counts, kept);
    log_total_ = filter_.temperature == 0 ? 0 : log_of_total(total, unit_bits);
    const std::uint64_t target = token_target(draw_number_of_row(call_, row_), total);
    for (int j = static_cast<int>(threadIdx.x); j < n_; j += first_threads)
      if (memory_.weights[j] != 0) place(j, target, kept);
    for (std::int64_t n = kept + threadIdx.x; n < call_.room; n += first_threads) {
      call_.kept_categories[row_ * call_.kept_stride + n] = -1;
      if (call_.kept_logs != nullptr) call_.kept_logs[row_ * call_.kept_logs_stride + n] = -__builtin_inff();
    }
  }

 private:
  __device__ float logit(int j) const { return logit_of_order(static_cast<std::uint32_t>(memory_.keys[j] >> 32)); }

  // How many categories, from the front, have the share that top_p requires.
  __device__ int keep_share() {
    const int j = 2 * static_cast<int>(threadIdx.x);
    const std::uint64_t a = j < n_ ? memory_.weights[j] : 0, b = j + 1 < n_ ? memory_.weights[j + 1] : 0;
    std::uint64_t total;
    const std::uint64_t to = sum_to_thread<first_threads>(a + b, memory_.sums, total);
    const std::uint64_t wanted = top_p_sum(filter_.top_p, total);
    if (threadIdx.x == 0) memory_.cut = n_;
    __syncthreads();
    if (to >= wanted && to - (a + b) < wanted) memory_.cut = to - b >= wanted ? j + 1 : j + 2;
    __syncthreads();
    return memory_.cut;
  }

  // Finds the place of category j of the order among the kept categories in ascending order; writes the results
  // of the row if the draw falls on it.
  __device__ void place(int j, std::uint64_t target, unsigned kept) const {
    const std::uint64_t key = memory_.keys[j], weight = memory_.weights[j];
    const auto turned = static_cast<std::uint32_t>(key);
    std::uint64_t before = 0;
    std::int64_t place = 0;
    for (int i = 0; i < n_; ++i) {
      const bool lower = static_cast<std::uint32_t>(memory_.keys[i]) > turned && memory_.weights[i] != 0;
      before += lower ? memory_.weights[i] : 0;
      place += lower ? 1 : 0;
    }
    const float log =
        filter_.temperature == 0 ? 0.0f : log_probability(logit(j), logit(0), filter_.temperature, log_total_);
    const auto category = static_cast<std::int32_t>(category_of_key(key));
    if (place < call_.room) {
      call_.kept_categories[row_ * call_.kept_stride + place] = category;
      if (call_.kept_logs != nullptr) call_.kept_logs[row_ * call_.kept_logs_stride + place] = log;
    }
    if (target < before || target - before >= weight) return;
    call_.tokens[row_] = category;
    put(call_.log_probabilities, row_, log);
    put(call_.ranks, row_, j);
    put(call_.kept_counts, row_, static_cast<std::int32_t>(kept));
    put(call_.kept_masses, row_, 1.0f);  // only asked for at temperature 0
    put(call_.status, row_, TokenStatus::ok);
  }

  const TokenCall& call_;
  FirstMemory& memory_;
  std::int64_t row_;
  TokenFilter filter_;
  int n_;
  double log_total_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
