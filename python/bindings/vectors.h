#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

// Vectors of the library as NumPy arrays and back.

namespace papilio::python {

namespace nb = nanobind;

// What Python gets: an array of NumPy.
template <class T, int dimensions = 1>
using OutputArray = nb::ndarray<nb::numpy, T, nb::ndim<dimensions>>;

// An array that cannot be written, over memory that `owner` keeps.
template <class T>
OutputArray<const T> borrowed(std::span<const T> values, nb::handle owner) {
  return OutputArray<const T>(values.data(), {values.size()}, owner);
}

template <class T>
OutputArray<const T, 2> borrowed(const T* data, std::size_t rows, std::size_t columns, nb::handle owner) {
  return OutputArray<const T, 2>(data, {rows, columns}, owner);
}

// An array that takes over the memory of a vector. As a property it needs nb::rv_policy::reference.
template <int dimensions = 1, class T>
OutputArray<T, dimensions> owned(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  const nb::capsule owner(kept.get(), [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
  kept.release();
  return OutputArray<T, dimensions>(data, shape, owner);
}

template <class T>
OutputArray<T> owned(std::vector<T> values) {
  const std::size_t size = values.size();
  return owned(std::move(values), {size});
}

}  // namespace papilio::python
