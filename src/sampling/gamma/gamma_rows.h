#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Rows of gamma draws on one CPU thread, the same bits on every instruction set
// and device. random/gamma.h has the algorithm and says which random numbers
// an entry uses.

namespace papilio::sampling {

// What draws of shape count + prior need to know of a row's priors.
// It is only read, so one object serves all rows and threads.
class GammaPrior {
 public:
  // One prior per column, each positive and finite. Throws InvalidArgument.
  explicit GammaPrior(std::span<const double> prior);
  // The same prior for every column.
  GammaPrior(double prior, std::int64_t columns);

  std::int64_t columns() const { return static_cast<std::int64_t>(shape_.size()); }
  const float* shape() const { return shape_.data(); }      // the prior as a float
  const float* inverse() const { return inverse_.data(); }  // about 1 / shape, as kernels compute it

 private:
  std::vector<float> shape_;
  std::vector<float> inverse_;
};

// Draws drawn[k] from the gamma distribution of shape counts[k] + prior[k] and scale 1, for
// all columns of the prior. An entry depends only on seed, stream, row, k and its shape.
//
// The shape is float(counts[k]) + float(prior[k]), with counts >= 0; if counts is null, all are 0.
// Draws below about 2^-125 become 0, which is frequent if the shape is small: Pr(0) = 2^(-125 shape).
struct GammaRow {
  const std::int32_t* counts = nullptr;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t row = 0;   // the number of the row
  float* drawn = nullptr;  // columns(); nothing past them is written
};
void draw_gamma_row(const GammaRow& row, const GammaPrior& prior);

}  // namespace papilio::sampling
