#pragma once

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "papilio/sampling.h"

// The sources of weights as rows of pointers. Each has rows(), longest_row(),
// check() (throws for shapes and views that do not fit) and row(i), which
// throws for an index out of range.

namespace papilio::sampling {

// One row: its weights are left[k * stride], times right[k] where there is a right.
template <class T>
struct Row {
  const T* left = nullptr;
  const T* right = nullptr;
  std::int64_t size = 0;
  std::int64_t stride = 1;

  T weight(std::int64_t k) const { return right == nullptr ? left[k * stride] : left[k * stride] * right[k]; }
};

// indices[i], or i where there are none.
inline std::int64_t picked(VectorView<const std::int32_t> indices, std::int64_t i, std::int64_t rows,
                           const char* what) {
  if (indices.empty()) return i;
  const std::int64_t row = indices.data[i];
  base::require(row >= 0 && row < rows, "papilio::sample_categorical: {}[{}] is {}, expected 0 <= row < {}", what, i,
                row, rows);
  return row;
}

template <class T>
void check_matrix(const MatrixView<const T>& m, const char* what) {
  base::require(m.rows >= 0 && m.columns >= 0,
                "papilio::sample_categorical: {} must have sizes >= 0; got {} rows x {} columns", what, m.rows,
                m.columns);
  base::require(m.data != nullptr || m.rows == 0 || m.columns == 0,
                "papilio::sample_categorical: {} is null, but {} rows x {} columns were given", what, m.rows,
                m.columns);
  base::require(m.device.is_cpu(), "papilio::sample_categorical: {} is on {}, expected cpu", what, m.device.name());
}

template <class V>
void check_vector(const V& v, const char* what) {
  base::require(v.size >= 0 && (v.data != nullptr || v.size == 0),
                "papilio::sample_categorical: {} is null or of negative size ({} entries)", what, v.size);
  base::require(v.device.is_cpu(), "papilio::sample_categorical: {} is on {}, expected cpu", what, v.device.name());
}

template <class T>
class MatrixSource {
 public:
  using Weight = T;
  explicit MatrixSource(const MatrixWeights<T>& weights) : w_(weights) {}

  void check() const {
    check_matrix(w_.matrix, "the matrix of weights");
    check_vector(w_.rows, "rows");
  }
  std::int64_t rows() const { return w_.rows.empty() ? w_.matrix.rows : w_.rows.size; }
  std::int64_t longest_row() const { return w_.matrix.columns; }
  Row<T> row(std::int64_t i) const {
    const std::int64_t r = picked(w_.rows, i, w_.matrix.rows, "rows");
    return {w_.matrix.data + r * w_.matrix.row_stride, nullptr, w_.matrix.columns,
            w_.matrix.columns > 1 ? w_.matrix.column_stride : 1};
  }

 private:
  MatrixWeights<T> w_;
};

template <class T>
class RaggedSource {
 public:
  using Weight = T;
  explicit RaggedSource(const RaggedWeights<T>& weights) : w_(weights) {}

  void check() const {
    check_vector(w_.values, "values");
    check_vector(w_.offsets, "offsets");
    check_vector(w_.rows, "rows");
    base::require(!w_.offsets.empty(),
                  "papilio::sample_categorical: offsets must have one entry more than there are "
                  "rows, so at least one; got none");
  }
  std::int64_t rows() const { return w_.rows.empty() ? w_.offsets.size - 1 : w_.rows.size; }
  std::int64_t longest_row() const {
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < rows(); ++i) longest = std::max(longest, row(i).size);
    return longest;
  }
  Row<T> row(std::int64_t i) const {
    const std::int64_t r = picked(w_.rows, i, w_.offsets.size - 1, "rows");
    const std::int64_t begin = w_.offsets.data[r], end = w_.offsets.data[r + 1];
    base::require(0 <= begin && begin <= end && end <= w_.values.size,
                  "papilio::sample_categorical: row {} has the offsets {} and {}, expected 0 <= first <= second <= {}",
                  r, begin, end, w_.values.size);
    return {w_.values.data + begin, nullptr, end - begin, 1};
  }

 private:
  RaggedWeights<T> w_;
};

template <class T>
class ProductSource {
 public:
  using Weight = T;
  explicit ProductSource(const ProductWeights<T>& weights) : w_(weights) {}

  void check() const {
    check_matrix(w_.left, "left");
    check_matrix(w_.right, "right");
    check_vector(w_.left_rows, "left_rows");
    check_vector(w_.right_rows, "right_rows");
    base::require(w_.left.columns == w_.right.columns,
                  "papilio::sample_categorical: left and right must have as many columns; got {} and {}",
                  w_.left.columns, w_.right.columns);
    base::require(left_count() == right_count(),
                  "papilio::sample_categorical: left and right must give as many rows; got {} and {}", left_count(),
                  right_count());
    const auto unit = [](const auto& m) { return m.column_stride == 1 || m.columns <= 1; };
    base::require(unit(w_.left) && unit(w_.right),
                  "papilio::sample_categorical: products need columns next to each other; got column strides {} and {}",
                  w_.left.column_stride, w_.right.column_stride);
  }
  std::int64_t rows() const { return left_count(); }
  std::int64_t longest_row() const { return w_.left.columns; }
  Row<T> row(std::int64_t i) const {
    const std::int64_t l = picked(w_.left_rows, i, w_.left.rows, "left_rows");
    const std::int64_t r = picked(w_.right_rows, i, w_.right.rows, "right_rows");
    return {w_.left.data + l * w_.left.row_stride, w_.right.data + r * w_.right.row_stride, w_.left.columns, 1};
  }

 private:
  std::int64_t left_count() const { return w_.left_rows.empty() ? w_.left.rows : w_.left_rows.size; }
  std::int64_t right_count() const { return w_.right_rows.empty() ? w_.right.rows : w_.right_rows.size; }
  ProductWeights<T> w_;
};

}  // namespace papilio::sampling
