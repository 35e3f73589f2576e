#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "papilio/sampling.h"
#include "sampling/rows/kernels.h"

namespace papilio::sampling {

// Draws from products of rows, a batch at a time, on the calling thread. The draws are those
// of sample_categorical from ProductWeights<float>, bit for bit. It is for a caller that
// knows that its rows are valid and draws few at a time. Memory is kept from batch to batch.
class ProductDraws {
 public:
  static constexpr std::int64_t most_rows = 256;

  explicit ProductDraws(std::int64_t categories, PartialSums method = PartialSums::slots);

  // Rows in the batch.
  std::int64_t size() const { return size_; }
  bool full() const { return size_ == most_rows; }

  // Adds a row with the weights left[k] * right[k]; its draw has the number `id`. Returns its place in the batch.
  std::int64_t add(const float* left, const float* right, std::uint64_t id) {
    const auto at = static_cast<std::size_t>(size_);
    left_[at] = left;
    right_[at] = right;
    ids_[at] = id;
    return size_++;
  }

  // Draws from the rows of the batch, and ends it: the next row added is the first of a new batch.
  void draw(std::uint64_t seed, std::uint64_t stream);

  // The draw from row i of the last batch drawn; -1 if the row has no positive weight.
  std::int64_t drawn(std::int64_t i) const { return drawn_[static_cast<std::size_t>(i)]; }

 private:
  struct Free {
    void operator()(void* memory) const;
  };

  const Kernels& kernels_;
  const std::int64_t categories_;
  const PartialSums method_;
  const std::unique_ptr<void, Free> scratch_;
  std::int64_t size_ = 0;
  std::int64_t sized_ = 0;  // entries of sizes_ that are `categories`; the others are 0
  std::vector<const float*> left_, right_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::int64_t> drawn_;
  std::vector<DrawStatus> status_;
};

}  // namespace papilio::sampling
