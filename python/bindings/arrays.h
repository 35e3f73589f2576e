#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <utility>

#include "papilio/array_view.h"
#include "papilio/error.h"

namespace papilio::python {

enum class Number : std::uint8_t {
  none,
  float16,
  bfloat16,
  float8_e4m3fn,
  float8_e5m2,
  float32,
  float64,
  int32,
  int64,
  uint64,
  uint8,
  complex128,
  int8,  // from here on only as entries that are moved, and in errors
  int16,
  uint16,
  uint32,
  boolean
};

// An array of Python's as the library sees it, of one or two dimensions. It keeps its owner
// alive, so it is made and destroyed with the GIL held.
//
// It is made from anything that nanobind imports (DLPack, buffers), or by `at` from what a framework
// tells of an array of its own, which costs less. None is not an array.
class Array {
 public:
  Array() = default;
  // `what` names the argument in errors.
  Array(nanobind::handle source, const char* what, bool writable = false);

  using Extents = nanobind::typed<nanobind::tuple, std::int64_t, nanobind::ellipsis>;

  // An array by its address, which its owner must outlive: strides in elements, the dtype by its name in NumPy,
  // the device by its CUDA ordinal (-1: the CPU).
  static Array at(const char* what, std::uintptr_t address, const Extents& shape, const Extents& strides,
                  const char* dtype, int cuda_ordinal);

  explicit operator bool() const { return number != Number::none; }

  // One dimension is one row.
  template <class T>
  MatrixView<const T> matrix() const {
    if (dimensions == 1) return {static_cast<const T*>(data), 1, shape[0], shape[0], stride[0], device()};
    return {static_cast<const T*>(data), shape[0], shape[1], stride[0], stride[1], device()};
  }

  // Throws InvalidArgument unless it has one dimension without gaps.
  template <class T>
  VectorView<T> vector(const char* what) const {
    if (number == Number::none) return {};
    check_vector(what);
    return {static_cast<T*>(data), shape[0], device()};
  }

  // Whether the bytes from the first to the last entry of both have some in common.
  bool overlaps(const Array& other) const;

  // Throws DeviceUnavailable where this build or machine lacks it.
  Device device() const { return cuda_ordinal < 0 ? Device::cpu() : Device::cuda(cuda_ordinal); }

  // Throws TypeError unless the dtype is one of these, which `expected` names.
  const Array& expect(std::initializer_list<Number> numbers, const char* what, const char* expected) const;

  void* data = nullptr;
  int dimensions = 0;
  std::int64_t shape[2] = {0, 0};
  std::int64_t stride[2] = {0, 1};
  Number number = Number::none;
  int cuda_ordinal = -1;  // -1: on the CPU

 private:
  void import(nanobind::handle source, const char* what, bool writable);
  void set_dimensions(std::size_t count, const char* what);
  void check_vector(const char* what) const;
  void check_alignment(const char* what) const;
  std::pair<std::uintptr_t, std::uintptr_t> bytes() const;

  nanobind::ndarray<nanobind::ro> owner_;
};

}  // namespace papilio::python
