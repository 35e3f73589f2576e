#pragma once

#include <cstdint>
#include <memory>
#include <new>

#include "base/math.h"
#include "papilio/array_view.h"

namespace papilio::lda {

// A matrix of floats whose rows start at multiples of 64 bytes: a cache line,
// and the widest register. The floats between a row's end and the next row are 0.
class AlignedTable {
 public:
  AlignedTable() = default;
  AlignedTable(std::int64_t rows, std::int64_t columns)
      : rows_(rows), columns_(columns), stride_(base::round_up<std::int64_t>(columns, 16)) {
    const auto count = static_cast<std::size_t>(rows_ * stride_);
    values_.reset(static_cast<float*>(::operator new(count * sizeof(float), alignment)));
    std::uninitialized_fill_n(values_.get(), count, 0.0f);
  }

  float* row(std::int64_t i) { return values_.get() + i * stride_; }
  const float* row(std::int64_t i) const { return values_.get() + i * stride_; }
  std::int64_t rows() const { return rows_; }
  MatrixView<const float> view() const { return {values_.get(), rows_, columns_, stride_}; }

 private:
  static constexpr auto alignment = std::align_val_t{64};
  struct Free {
    void operator()(float* values) const { ::operator delete(values, alignment); }
  };

  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t stride_ = 0;
  std::unique_ptr<float[], Free> values_;
};

}  // namespace papilio::lda
