#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/sampling.h"
#include "sampling/without_replacement/race.h"

// The sources of weights, as rows in the CPU's memory. Each has rows(), check() (throws for shapes and views that do
// not fit), row(i), which throws if an index is out of range, and enter(), which enters a row's categories into a race.

namespace papilio::sampling {

template <class T>
struct RaceRow {
  const T* first = nullptr;
  std::int64_t size = 0;
  std::int64_t stride = 1;

  // The weights of the row, contiguous.
  std::span<const T> values(std::vector<T>& copy) const {
    if (stride == 1) return {first, static_cast<std::size_t>(size)};
    copy.resize(static_cast<std::size_t>(size));
    for (std::int64_t k = 0; k < size; ++k) copy[static_cast<std::size_t>(k)] = first[k * stride];
    return copy;
  }
};

inline std::int64_t picked_row(const char* function, VectorView<const std::int32_t> rows, std::int64_t i,
                               std::int64_t count) {
  if (rows.empty()) return i;
  const std::int64_t row = rows.data[i];
  base::require(row >= 0 && row < count, "papilio::{}: rows[{}] is {}, expected 0 <= row < {}", function, i, row,
                count);
  return row;
}

// What is wrong with one weight; `ok` if it can be drawn from.
template <class T>
DrawStatus fault_of_weight(T w) {
  if (std::isnan(w)) return DrawStatus::not_a_number;
  if (w < 0) return DrawStatus::negative;
  return std::isinf(w) ? DrawStatus::infinite : DrawStatus::ok;
}

template <class T>
class MatrixRows {
 public:
  using Weight = T;
  static constexpr const char* numbers = "weights must be finite and >= 0";
  MatrixRows(const char* function, const MatrixView<const T>& matrix, VectorView<const std::int32_t> rows)
      : function_(function), matrix_(matrix), rows_(rows) {}
  MatrixRows(const char* function, const MatrixWeights<T>& weights)
      : MatrixRows(function, weights.matrix, weights.rows) {}

  void check() const {
    execution::require_cpu(function_, "the matrix of weights", matrix_);
    execution::require_cpu(function_, "rows", rows_);
  }
  template <class Written>
  void check_apart(VectorView<Written> written, const char* what) const {
    execution::require_apart(function_, what, written, "rows", rows_);
    if (matrix_.column_stride != 1 || matrix_.row_stride != matrix_.columns) return;
    execution::require_apart(function_, what, written, "the matrix of weights",
                             VectorView<const T>(matrix_.data, matrix_.rows * matrix_.columns));
  }
  std::int64_t rows() const { return rows_.empty() ? matrix_.rows : rows_.size; }
  std::int64_t longest_row() const { return matrix_.columns; }
  RaceRow<T> row(std::int64_t i) const {
    const std::int64_t r = picked_row(function_, rows_, i, matrix_.rows);
    if (matrix_.columns == 0) return {};
    return {matrix_.data + r * matrix_.row_stride, matrix_.columns, matrix_.columns > 1 ? matrix_.column_stride : 1};
  }
  bool enter(Race& race, const RaceNumbers& random, std::span<const T> weights) const {
    return race.add_weights(random, weights);
  }
  DrawStatus fault_of(T w) const { return fault_of_weight(w); }
  T nothing() const { return 0; }  // a category above it can be drawn

 private:
  const char* function_;
  MatrixView<const T> matrix_;
  VectorView<const std::int32_t> rows_;
};

template <class T>
class LogitRows : public MatrixRows<T> {
 public:
  static constexpr const char* numbers = "logits must not be NaN or +infinity";
  LogitRows(const char* function, const LogitWeights<T>& weights)
      : MatrixRows<T>(function, weights.logits, weights.rows), function_(function), temperature_(weights.temperature) {}

  void check() const {
    MatrixRows<T>::check();
    base::require(temperature_ >= 0x1p-100 && temperature_ <= 0x1p100,
                  "papilio::{}: the temperature must be between 2^-100 and 2^100; got {}", function_, temperature_);
  }
  bool enter(Race& race, const RaceNumbers& random, std::span<const T> logits) const {
    return race.add_logits(random, logits, 1 / temperature_);
  }
  DrawStatus fault_of(T logit) const {
    if (std::isnan(logit)) return DrawStatus::not_a_number;
    return logit > std::numeric_limits<T>::max() ? DrawStatus::infinite : DrawStatus::ok;
  }
  T nothing() const { return -std::numeric_limits<T>::infinity(); }

 private:
  const char* function_;
  double temperature_;
};

template <class T>
class RaggedRows {
 public:
  using Weight = T;
  static constexpr const char* numbers = "weights must be finite and >= 0";
  RaggedRows(const char* function, const RaggedWeights<T>& weights) : function_(function), w_(weights) {}

  void check() const {
    execution::require_cpu(function_, "values", w_.values);
    execution::require_cpu(function_, "offsets", w_.offsets);
    execution::require_cpu(function_, "rows", w_.rows);
    base::require(!w_.offsets.empty(),
                  "papilio::{}: offsets must have one entry more than there are rows, so at least one; got none",
                  function_);
  }
  template <class Written>
  void check_apart(VectorView<Written> written, const char* what) const {
    execution::require_apart(function_, what, written, "values", w_.values);
    execution::require_apart(function_, what, written, "offsets", w_.offsets);
    execution::require_apart(function_, what, written, "rows", w_.rows);
  }
  std::int64_t rows() const { return w_.rows.empty() ? w_.offsets.size - 1 : w_.rows.size; }
  std::int64_t longest_row() const {
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < rows(); ++i) longest = std::max(longest, row(i).size);
    return longest;
  }
  RaceRow<T> row(std::int64_t i) const {
    const std::int64_t r = picked_row(function_, w_.rows, i, w_.offsets.size - 1);
    const std::int64_t begin = w_.offsets.data[r], end = w_.offsets.data[r + 1];
    base::require(0 <= begin && begin <= end && end <= w_.values.size,
                  "papilio::{}: row {} has the offsets {} and {}, expected 0 <= first <= second <= {}", function_, r,
                  begin, end, w_.values.size);
    return {w_.values.data + begin, end - begin};
  }
  bool enter(Race& race, const RaceNumbers& random, std::span<const T> weights) const {
    return race.add_weights(random, weights);
  }
  DrawStatus fault_of(T w) const { return fault_of_weight(w); }
  T nothing() const { return 0; }  // a category above it can be drawn

 private:
  const char* function_;
  RaggedWeights<T> w_;
};

}  // namespace papilio::sampling
