#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/math.h"
#include "execution/check_view.h"
#include "papilio/tokens.h"
#include "sampling/tokens/token_row_draw.h"
#include "sampling/tokens/tokens_cuda.h"

namespace papilio::sampling {

// The requirements on a call's arrays, and the name of the public function that they were passed to. All of them
// must be on the device of the logits.
class TokenChecks {
 public:
  TokenChecks(const char* function, Device device, std::int64_t rows, std::int64_t categories)
      : function_(function), device_(device), rows_(rows), categories_(categories) {}

  template <class View>
  void device(const char* what, const View& view) const {
    base::require(view.device == device_, "papilio::{}: {} is on {}, but the logits are on {}", function_, what,
                  view.device.name(), device_.name());
  }

  template <class T>
  void logits(const MatrixView<const T>& logits) const {
    part_of_logits(logits);
    base::require(logits.rows == 0 || logits.columns > 0, "papilio::{}: {} rows of logits have no categories",
                  function_, logits.rows);
  }

  // Logits that may have no columns: those of an empty shard.
  template <class T>
  void part_of_logits(const MatrixView<const T>& logits) const {
    execution::require_matrix(function_, "the matrix of logits", logits);
    base::require(logits.columns <= std::numeric_limits<std::int32_t>::max(),
                  "papilio::{}: rows of {} categories do not fit into 32-bit tokens", function_, logits.columns);
  }

  // An optional array of `count` entries.
  template <class T>
  void entries(const char* what, const VectorView<T>& view, std::int64_t count, const char* one_per = "row") const {
    if (view.empty() && view.size == 0) return;
    device(what, view);
    execution::require_vector(function_, what, view);
    base::require(view.size == count, "papilio::{}: {} must have one entry per {}; got {} for {}", function_, what,
                  one_per, view.size, count);
  }

  template <class T>
  void needed(const char* what, const VectorView<T>& view, std::int64_t count, const char* one_per = "row") const {
    base::require(view.size == count, "papilio::{}: {} must have one entry per {}; got {} for {}", function_, what,
                  one_per, view.size, count);
    entries(what, view, count, one_per);
  }

  // An optional matrix with one row per row of logits; its columns must be adjacent.
  template <class T>
  void matrix(const char* what, const MatrixView<T>& view, std::int64_t rows) const {
    if (view.rows == 0 && view.columns == 0) return;
    device(what, view);
    execution::require_matrix(function_, what, view);
    base::require(view.rows == rows, "papilio::{}: {} must have {} rows; got {}", function_, what, rows, view.rows);
    base::require(view.column_stride == 1 || view.columns <= 1,
                  "papilio::{}: the columns of {} must be adjacent; got column stride {}", function_, what,
                  view.column_stride);
  }

  void filters(const TokenFilters& f) const {
    entries("temperature", f.temperature.values, rows_);
    entries("top_k", f.top_k.values, rows_);
    entries("top_p", f.top_p.values, rows_);
    entries("min_p", f.min_p.values, rows_);
    matrix("allowed", f.allowed, rows_);
    base::require(f.allowed.rows == 0 || f.allowed.columns == base::ceil_div<std::int64_t>(categories_, 32),
                  "papilio::{}: allowed must have one bit per category, {} words for {} categories; got {}", function_,
                  base::ceil_div<std::int64_t>(categories_, 32), categories_, f.allowed.columns);
    const bool biased = f.bias_offsets.size != 0 || f.bias_categories.size != 0 || f.bias_values.size != 0;
    if (!biased) return;
    needed("bias_offsets", f.bias_offsets, rows_ + 1, "row, and one more");
    entries("bias_categories", f.bias_categories, f.bias_categories.size);
    entries("bias_values", f.bias_values, f.bias_categories.size, "category of the bias");
    base::require(f.bias_values.size == f.bias_categories.size,
                  "papilio::{}: bias_values must have one entry per category of the bias; got {} for {}", function_,
                  f.bias_values.size, f.bias_categories.size);
  }

  // The bytes from the first to the last element of an array.
  struct Extent {
    const char* what;
    std::uintptr_t begin, end;
  };
  template <class T>
  static Extent extent(const char* what, const VectorView<T>& v) {
    const auto begin = reinterpret_cast<std::uintptr_t>(v.data);
    return {what, begin, v.empty() ? begin : begin + static_cast<std::uintptr_t>(v.size) * sizeof(T)};
  }
  template <class T>
  static Extent extent(const char* what, const MatrixView<T>& m) {
    const auto begin = reinterpret_cast<std::uintptr_t>(m.data);
    if (m.rows == 0 || m.columns == 0) return {what, begin, begin};
    const std::int64_t across = (m.rows - 1) * m.row_stride, along = (m.columns - 1) * m.column_stride;
    const std::int64_t low = std::min<std::int64_t>(across, 0) + std::min<std::int64_t>(along, 0);
    const std::int64_t high = std::max<std::int64_t>(across, 0) + std::max<std::int64_t>(along, 0);
    const auto offset = [&](std::int64_t n) {
      return begin + static_cast<std::uintptr_t>(n * static_cast<std::int64_t>(sizeof(T)));
    };
    return {what, offset(low), offset(high + 1)};
  }

  // What a call reads in addition to its logits and its draft.
  static std::vector<Extent> extents(const TokenFilters& filters, const TokenOptions& options) {
    return {extent("temperature", filters.temperature.values),
            extent("top_k", filters.top_k.values),
            extent("top_p", filters.top_p.values),
            extent("min_p", filters.min_p.values),
            extent("allowed", filters.allowed),
            extent("bias_offsets", filters.bias_offsets),
            extent("bias_categories", filters.bias_categories),
            extent("bias_values", filters.bias_values),
            extent("positions", options.positions),
            extent("seeds", options.seeds)};
  }

  // Throws if an array that is written shares memory with one that is read or with another that is written.
  void apart(std::span<const Extent> written, std::span<const Extent> read) const {
    const auto check = [&](const Extent& a, const Extent& b) {
      base::require(a.begin == a.end || b.begin == b.end || a.end <= b.begin || b.end <= a.begin,
                    "papilio::{}: {} overlaps {}, expected memory of its own", function_, a.what, b.what);
    };
    for (std::size_t i = 0; i < written.size(); ++i) {
      for (const Extent& other : written.subspan(i + 1)) check(written[i], other);
      for (const Extent& other : read) check(written[i], other);
    }
  }

 private:
  const char* function_;
  Device device_;
  std::int64_t rows_, categories_;
};

template <class T>
T of_row(const PerRow<T>& values, std::int64_t row) {
  return values.values.empty() ? values.value : values.values.data[row];
}

inline TokenFilter filter_of_row(const TokenFilters& f, std::int64_t row) {
  return {of_row(f.temperature, row), of_row(f.top_k, row), of_row(f.top_p, row), of_row(f.min_p, row)};
}

// The seed that keys a row's draw.
inline std::uint64_t seed_of_row(const TokenOptions& options, std::int64_t row) {
  return options.seeds.empty() ? options.seed : static_cast<std::uint64_t>(options.seeds.data[row]);
}
inline std::uint64_t position_of_row(const TokenOptions& options, std::int64_t row) {
  return options.positions.empty() ? options.first_position + static_cast<std::uint64_t>(row)
                                   : static_cast<std::uint64_t>(options.positions.data[row]);
}

template <class T>
constexpr Storage token_storage() {
  return sizeof(T) == 4 ? Storage::float32 : std::is_same_v<T, Half> ? Storage::half : Storage::bfloat16;
}

// The beginning of row i; the matrix may be null if its rows are empty.
template <class T>
T* row_of(const MatrixView<T>& matrix, std::int64_t i) {
  return matrix.columns == 0 ? matrix.data : matrix.data + i * matrix.row_stride;
}

// Row i of a call on the CPU. Returns false if its part of the bias is out of range or not in order.
template <class T>
bool input_of_row(const MatrixView<const T>& logits, const TokenFilters& f, std::int64_t i, TokenInput& input) {
  input = {{token_storage<T>(), row_of(logits, i), logits.column_stride, logits.columns},
           f.allowed.rows == 0 ? nullptr : row_of(f.allowed, i),
           {},
           {},
           filter_of_row(f, i),
           f.joint};
  if (f.bias_offsets.empty()) return true;
  const std::int64_t begin = f.bias_offsets.data[i], end = f.bias_offsets.data[i + 1];
  if (begin < 0 || end < begin || end > f.bias_categories.size) return false;
  input.bias_categories = {f.bias_categories.data + begin, static_cast<std::size_t>(end - begin)};
  input.bias_values = {f.bias_values.data + begin, static_cast<std::size_t>(end - begin)};
  std::int64_t last = -1;
  for (const std::int32_t category : input.bias_categories) {
    if (category <= last || category >= logits.columns) return false;
    last = category;
  }
  return true;
}

// Logits in the form that the device's functions take.
template <class T>
DeviceLogits device_logits(const MatrixView<const T>& logits) {
  return {token_storage<T>(), logits.data,          logits.rows,  logits.columns,
          logits.row_stride,  logits.column_stride, logits.device};
}

// Requires that the workspace of a call on a device has `needed` bytes.
inline void require_workspace(const char* function, const TokenOptions& options, std::int64_t needed, Device device) {
  base::require(needed == 0 || (options.workspace.size >= needed && options.workspace.device == device &&
                                reinterpret_cast<std::uintptr_t>(options.workspace.data) % 256 == 0),
                "papilio::{}: the workspace must have {} bytes on {}, aligned to 256; got {} on {}", function, needed,
                device.name(), options.workspace.size, options.workspace.device.name());
}

}  // namespace papilio::sampling
