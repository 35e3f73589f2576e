#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/check.h"
#include "execution/check_view.h"
#include "papilio/sampling.h"
#include "sampling/rows/device_rows.h"

// The sources of weights, as rows of pointers. Each has rows(), longest_row(),
// check() (throws for shapes and views that do not fit), row(i), which throws if an
// index is out of range, and on_device(), which gives the same to a kernel there.

namespace papilio::sampling {

// The type in which weights stored as S are summed.
template <class S>
using SumOf = std::conditional_t<std::is_same_v<S, double>, double, float>;

inline float weight_of(float stored) { return stored; }
inline double weight_of(double stored) { return stored; }
inline float weight_of(Half stored) { return to_float(stored); }
inline float weight_of(BFloat16 stored) { return to_float(stored); }

// The floats of all numbers of 8 bits: looking one up costs less than arithmetic on its bits.
template <class S>
inline constexpr auto floats_of = [] {
  std::array<float, 256> floats{};
  for (std::size_t bits = 0; bits < 256; ++bits) floats[bits] = to_float(S{static_cast<std::uint8_t>(bits)});
  return floats;
}();
inline float weight_of(Float8E4M3FN stored) { return floats_of<Float8E4M3FN>[stored.bits]; }
inline float weight_of(Float8E5M2 stored) { return floats_of<Float8E5M2>[stored.bits]; }

// One row. Its weights are left[k * stride], multiplied by right[k] if there is a right one.
template <class S>
struct Row {
  const S* left = nullptr;
  const S* right = nullptr;
  std::int64_t size = 0;
  std::int64_t stride = 1;

  // Whether kernels can read it as it is stored.
  bool direct() const { return stride == 1 && std::is_same_v<S, SumOf<S>>; }
  SumOf<S> weight(std::int64_t k) const {
    const SumOf<S> w = weight_of(left[k * stride]);
    return right == nullptr ? w : w * weight_of(right[k]);
  }
};

inline Storage storage_of(const float*) { return Storage::float32; }
inline Storage storage_of(const double*) { return Storage::float64; }
inline Storage storage_of(const Half*) { return Storage::half; }
inline Storage storage_of(const BFloat16*) { return Storage::bfloat16; }
inline Storage storage_of(const Float8E4M3FN*) { return Storage::float8_e4m3fn; }
inline Storage storage_of(const Float8E5M2*) { return Storage::float8_e5m2; }

// Throws if an array that the draw writes shares memory with weights or indices,
// as far as that is certain: gaps between a matrix's rows may hold anything.
template <class Written, class T>
void check_apart(VectorView<Written> written, const char* what, const MatrixView<const T>& m, const char* of) {
  if (m.column_stride != 1 || m.row_stride != m.columns) return;
  execution::require_apart("sample_categorical", what, written, of,
                           VectorView<const T>(m.data, m.rows * m.columns, m.device));
}

// indices[i], or i if there are none.
inline std::int64_t picked(VectorView<const std::int32_t> indices, std::int64_t i, std::int64_t rows,
                           const char* what) {
  if (indices.empty()) return i;
  const std::int64_t row = indices.data[i];
  base::require(row >= 0 && row < rows, "papilio::sample_categorical: {}[{}] is {}, expected 0 <= row < {}", what, i,
                row, rows);
  return row;
}

template <class V>
void check_device(const V& view, Device expected, const char* what) {
  base::require(view.device == expected, "papilio::sample_categorical: {} is on {}, expected {}, as the weights are",
                what, view.device.name(), expected.name());
}

template <class T>
void check_matrix(const MatrixView<const T>& m, Device device, const char* what) {
  execution::require_matrix("sample_categorical", what, m);
  check_device(m, device, what);
}

// The address of the first weight of a row. If rows have no columns, there need not be one.
template <class T>
const T* row_of(const MatrixView<const T>& m, std::int64_t row) {
  return m.columns == 0 ? nullptr : m.data + row * m.row_stride;
}

// An optional vector that is empty is accepted on any device.
template <class V>
void check_vector(const V& v, Device device, const char* what) {
  execution::require_vector("sample_categorical", what, v);
  if (!v.empty()) check_device(v, device, what);
}

template <class T>
class MatrixSource {
 public:
  using Weight = T;
  static constexpr bool rows_are_of_one_length = true;
  static constexpr bool are_logits = false;
  explicit MatrixSource(const MatrixWeights<T>& weights) : w_(weights) {}

  void check() const {
    check_matrix(w_.matrix, device(), "the matrix of weights");
    check_vector(w_.rows, device(), "rows");
  }
  template <class Written>
  void check_apart(VectorView<Written> written, const char* what) const {
    sampling::check_apart(written, what, w_.matrix, "the matrix of weights");
    execution::require_apart("sample_categorical", what, written, "rows", w_.rows);
  }
  Device device() const { return w_.matrix.device; }
  std::int64_t rows() const { return w_.rows.empty() ? w_.matrix.rows : w_.rows.size; }
  std::int64_t longest_row() const { return w_.matrix.columns; }
  Row<T> row(std::int64_t i) const {
    const std::int64_t r = picked(w_.rows, i, w_.matrix.rows, "rows");
    return {row_of(w_.matrix, r), nullptr, w_.matrix.columns, w_.matrix.columns > 1 ? w_.matrix.column_stride : 1};
  }
  DeviceRows on_device() const {
    return {.storage = storage_of(w_.matrix.data),
            .left = w_.matrix.data,
            .left_rows = w_.rows.data,
            .left_count = w_.matrix.rows,
            .left_stride = w_.matrix.row_stride,
            .column_stride = w_.matrix.columns > 1 ? w_.matrix.column_stride : 1,
            .rows = rows(),
            .categories = w_.matrix.columns};
  }

 private:
  MatrixWeights<T> w_;
};

// A matrix of logits, whose weights are computed where they are drawn from.
template <class T>
class LogitSource : public MatrixSource<T> {
 public:
  static constexpr bool are_logits = true;
  explicit LogitSource(const LogitWeights<T>& weights)
      : MatrixSource<T>({weights.logits, weights.rows}), temperature_(weights.temperature) {}

  void check() const {
    MatrixSource<T>::check();
    base::require(temperature_ >= 0x1p-100 && temperature_ <= 0x1p100,
                  "papilio::sample_categorical: the temperature must be between 2^-100 and 2^100; got {}",
                  temperature_);
  }
  double temperature() const { return temperature_; }

 private:
  double temperature_;
};

template <class T>
class RaggedSource {
 public:
  using Weight = T;
  static constexpr bool rows_are_of_one_length = false;
  static constexpr bool are_logits = false;
  explicit RaggedSource(const RaggedWeights<T>& weights) : w_(weights) {}

  void check() const {
    check_vector(w_.values, device(), "values");
    check_vector(w_.offsets, device(), "offsets");
    check_vector(w_.rows, device(), "rows");
    base::require(!w_.offsets.empty(),
                  "papilio::sample_categorical: offsets must have one entry more than there are "
                  "rows, so at least one; got none");
  }
  template <class Written>
  void check_apart(VectorView<Written> written, const char* what) const {
    execution::require_apart("sample_categorical", what, written, "values", w_.values);
    execution::require_apart("sample_categorical", what, written, "offsets", w_.offsets);
    execution::require_apart("sample_categorical", what, written, "rows", w_.rows);
  }
  Device device() const { return w_.offsets.device; }
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
  DeviceRows on_device() const {
    return {.storage = storage_of(w_.values.data),
            .left = w_.values.data,
            .left_rows = w_.rows.data,
            .offsets = w_.offsets.data,
            .left_count = w_.offsets.size - 1,
            .values = w_.values.size,
            .rows = rows()};
  }

 private:
  RaggedWeights<T> w_;
};

template <class T>
class ProductSource {
 public:
  using Weight = T;
  static constexpr bool rows_are_of_one_length = true;
  static constexpr bool are_logits = false;
  explicit ProductSource(const ProductWeights<T>& weights) : w_(weights) {}

  void check() const {
    check_matrix(w_.left, device(), "left");
    check_matrix(w_.right, device(), "right");
    check_vector(w_.left_rows, device(), "left_rows");
    check_vector(w_.right_rows, device(), "right_rows");
    base::require(w_.left.columns == w_.right.columns,
                  "papilio::sample_categorical: left and right must have the same number of columns; got {} and {}",
                  w_.left.columns, w_.right.columns);
    base::require(left_count() == right_count(),
                  "papilio::sample_categorical: left and right must give the same number of rows; got {} and {}",
                  left_count(), right_count());
    const auto unit = [](const auto& m) { return m.column_stride == 1 || m.columns <= 1; };
    base::require(unit(w_.left) && unit(w_.right),
                  "papilio::sample_categorical: products need adjacent columns; got column strides {} and {}",
                  w_.left.column_stride, w_.right.column_stride);
  }
  template <class Written>
  void check_apart(VectorView<Written> written, const char* what) const {
    sampling::check_apart(written, what, w_.left, "left");
    sampling::check_apart(written, what, w_.right, "right");
    execution::require_apart("sample_categorical", what, written, "left_rows", w_.left_rows);
    execution::require_apart("sample_categorical", what, written, "right_rows", w_.right_rows);
  }
  Device device() const { return w_.left.device; }
  std::int64_t rows() const { return left_count(); }
  std::int64_t longest_row() const { return w_.left.columns; }
  Row<T> row(std::int64_t i) const {
    const std::int64_t l = picked(w_.left_rows, i, w_.left.rows, "left_rows");
    const std::int64_t r = picked(w_.right_rows, i, w_.right.rows, "right_rows");
    return {row_of(w_.left, l), row_of(w_.right, r), w_.left.columns, 1};
  }
  DeviceRows on_device() const {
    return {.storage = storage_of(w_.left.data),
            .left = w_.left.data,
            .right = w_.right.data,
            .left_rows = w_.left_rows.data,
            .right_rows = w_.right_rows.data,
            .left_count = w_.left.rows,
            .right_count = w_.right.rows,
            .left_stride = w_.left.row_stride,
            .right_stride = w_.right.row_stride,
            .rows = rows(),
            .categories = w_.left.columns};
  }

 private:
  std::int64_t left_count() const { return w_.left_rows.empty() ? w_.left.rows : w_.left_rows.size; }
  std::int64_t right_count() const { return w_.right_rows.empty() ? w_.right.rows : w_.right_rows.size; }
  ProductWeights<T> w_;
};

}  // namespace papilio::sampling
