#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>

#include "papilio/array_view.h"
#include "papilio/error.h"

namespace papilio::python {

enum class Number : std::uint8_t { none, float16, bfloat16, float32, float64, int32, int64, uint64, uint8 };

// An array of Python's as the library sees it, of one or two dimensions. It keeps its owner
// alive, so it is made and destroyed with the GIL held.
//
// It is made from anything that nanobind imports (DLPack on the CPU, buffers), or from a
// tuple (pointer, shape, strides in elements, name of the dtype, CUDA ordinal or -1) by
// papilio/_frameworks.py. None is no array.
class Array {
 public:
  Array() = default;
  // `what` names the argument in errors.
  Array(nanobind::handle source, const char* what, bool writable = false);

  explicit operator bool() const { return number != Number::none; }

  // One dimension is one row.
  template <class T>
  MatrixView<const T> matrix() const {
    if (dimensions == 1) return {static_cast<const T*>(data), 1, shape[0], shape[0], stride[0], device};
    return {static_cast<const T*>(data), shape[0], shape[1], stride[0], stride[1], device};
  }

  // Throws InvalidArgument unless it has one dimension without gaps.
  template <class T>
  VectorView<T> vector(const char* what) const {
    if (number == Number::none) return {};
    check_vector(what);
    return {static_cast<T*>(data), shape[0], device};
  }

  // The tuple that stands for this array, which must outlive it.
  nanobind::tuple as_tuple() const;

  // Throws TypeError unless the dtype is one of these, which `expected` names.
  const Array& expect(std::initializer_list<Number> numbers, const char* what, const char* expected) const;

  void* data = nullptr;
  int dimensions = 0;
  std::int64_t shape[2] = {0, 0};
  std::int64_t stride[2] = {0, 1};
  Number number = Number::none;
  Device device = Device::cpu();

 private:
  void import_tuple(nanobind::tuple source, const char* what);
  void import_array(nanobind::handle source, const char* what, bool writable);
  void check_vector(const char* what) const;

  nanobind::ndarray<nanobind::ro> owner_;
};

}  // namespace papilio::python
