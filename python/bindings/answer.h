#pragma once

#include <nanobind/nanobind.h>

namespace papilio::python {

// Whether a callback has answered False, of Python or of NumPy, as a comparison of NumPy's numbers gives it. None,
// 0 and all else are no False. Throws python_error.
inline bool is_false(nanobind::handle answer) {
  if (answer.ptr() == Py_False) return true;
  if (answer.is_none() || answer.ptr() == Py_True) return false;
  const int is_numpys = PyObject_IsInstance(answer.ptr(), nanobind::module_::import_("numpy").attr("bool_").ptr());
  const int is_true = is_numpys == 1 ? PyObject_IsTrue(answer.ptr()) : 1;
  if (is_numpys < 0 || is_true < 0) throw nanobind::python_error();
  return is_true == 0;
}

}  // namespace papilio::python
