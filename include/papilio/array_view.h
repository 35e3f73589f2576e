#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "papilio/device.h"

namespace papilio {

// A borrowed matrix and the device that holds it; work on it runs there.
// Element (i, j) is data[i * row_stride + j * column_stride]; strides count
// elements and may be negative or zero.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;
  Device device = Device::cpu();

  MatrixView() = default;

  // A row-major matrix without gaps.
  MatrixView(T* values, std::int64_t row_count, std::int64_t column_count)
      : data(values), rows(row_count), columns(column_count), row_stride(column_count) {}

  MatrixView(T* values, std::int64_t row_count, std::int64_t column_count, std::int64_t stride_of_rows,
             std::int64_t stride_of_columns = 1, Device where = Device::cpu())
      : data(values),
        rows(row_count),
        columns(column_count),
        row_stride(stride_of_rows),
        column_stride(stride_of_columns),
        device(where) {}

  // The same elements, to be read only.
  template <class U>
  requires std::is_same_v<T, const U> MatrixView(const MatrixView<U>& m)
      : MatrixView(m.data, m.rows, m.columns, m.row_stride, m.column_stride, m.device) {}
};

// A borrowed contiguous vector. An optional one is left empty (size 0).
template <class T>
struct VectorView {
  T* data = nullptr;
  std::int64_t size = 0;
  Device device = Device::cpu();

  VectorView() = default;
  VectorView(T* values, std::int64_t count, Device where = Device::cpu()) : data(values), size(count), device(where) {}

  // Any contiguous container: `VectorView<const float>(vector_of_floats)`.
  template <class Container>
  requires requires(Container& c) {
    { c.data() } -> std::convertible_to<T*>;
    c.size();
  }
  VectorView(Container& c) : data(c.data()), size(static_cast<std::int64_t>(c.size())) {}

  // The same elements, to be read only.
  template <class U>
  requires std::is_same_v<T, const U> VectorView(const VectorView<U>& v) : VectorView(v.data, v.size, v.device) {}

  bool empty() const { return size == 0; }
};

namespace detail {

// `count` elements of `size` bytes, for calls that move elements and do not look at them.
struct Elements {
  const void* data;
  std::int64_t count;
  std::int64_t size;
  std::int64_t alignment;
  Device device;
};
struct WritableElements {
  void* data;
  std::int64_t count;
  std::int64_t size;
  std::int64_t alignment;
  Device device;
};

template <class T>
Elements elements_of(const VectorView<const T>& view) {
  return {view.data, view.size, sizeof(T), alignof(T), view.device};
}
template <class T>
WritableElements elements_of(const VectorView<T>& view) {
  return {view.data, view.size, sizeof(T), alignof(T), view.device};
}

}  // namespace detail

}  // namespace papilio
