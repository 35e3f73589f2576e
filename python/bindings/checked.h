#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "vectors.h"

// Arrays that papilio/_checked.py has checked: dtype, dimensions, byte order, masks, missing values, and whether the
// numbers fit. nanobind alone would convert: 2^32 + 1 becomes 1, 0.5 becomes 0, and masks are dropped.

namespace papilio::python {

// Anything that NumPy makes an array of.
class ArrayLike : public nb::object {
  static bool any(PyObject*) { return true; }

 public:
  NB_OBJECT(ArrayLike, nb::object, "numpy.typing.ArrayLike", any)
};

template <class T, int dimensions = 1>
using CheckedArray = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

// The array as one of T, a copy where it is not one yet. `what` names it in errors. TypeError for numbers of another
// kind, ValueError for those that do not fit. Needs the GIL.
template <class T, int dimensions = 1>
CheckedArray<T, dimensions> checked(const ArrayLike& array, const std::string& what) {
  const nb::module_ module = nb::module_::import_("papilio._checked");
  if constexpr (std::is_floating_point_v<T>)
    return nb::cast<CheckedArray<T, dimensions>>(module.attr("reals")(array, what, dimensions));
  else
    return nb::cast<CheckedArray<T, dimensions>>(
        module.attr("integers")(array, what, sizeof(T) == 4 ? "int32" : "int64", dimensions));
}

template <class T>
std::vector<T> vector_of(const ArrayLike& array, const std::string& what) {
  const CheckedArray<T> values = checked<T>(array, what);
  return {values.data(), values.data() + values.size()};
}

}  // namespace papilio::python
