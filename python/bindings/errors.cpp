#include <nanobind/nanobind.h>

#include "bindings.h"
#include "papilio/communicator.h"
#include "papilio/error.h"
#include "path_name.h"

namespace nb = nanobind;

namespace papilio::python {
namespace {

// Classes of papilio/_errors.py, which live as long as the process.
PyObject* format_error = nullptr;
PyObject* device_unavailable = nullptr;
PyObject* device_error = nullptr;
PyObject* rank_error = nullptr;

// FormatError carries the place in the file, where it is known.
void set_format_error(const FormatError& e) {
  const nb::object error = nb::borrow(format_error)(text_of(e.what()));
  if (e.line > 0) error.attr("line") = e.line;
  if (e.column > 0) error.attr("column") = e.column;
  PyErr_SetObject(format_error, error.ptr());
}

// RankError carries the rank, where it is known.
void set_rank_error(const RankError& e) {
  const nb::object error = nb::borrow(rank_error)(text_of(e.what()));
  if (e.rank >= 0) error.attr("rank") = e.rank;
  PyErr_SetObject(rank_error, error.ptr());
}

// OSError picks FileNotFoundError and the like by the number.
void set_os_error(const IoError& e) {
  const nb::object error = nb::borrow(PyExc_OSError)(e.code, text_of(e.what()));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

void translate(const std::exception_ptr& caught, void*) {
  try {
    std::rethrow_exception(caught);
  } catch (const InvalidArgument& e) {
    PyErr_SetObject(PyExc_ValueError, text_of(e.what()).ptr());
  } catch (const FormatError& e) {
    set_format_error(e);
  } catch (const IoError& e) {
    set_os_error(e);
  } catch (const DeviceUnavailable& e) {
    PyErr_SetObject(device_unavailable, text_of(e.what()).ptr());
  } catch (const DeviceError& e) {
    PyErr_SetObject(device_error, text_of(e.what()).ptr());
  } catch (const RankError& e) {
    set_rank_error(e);
  } catch (const Error& e) {
    PyErr_SetObject(PyExc_RuntimeError, text_of(e.what()).ptr());
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  const nb::module_ errors = nb::module_::import_("papilio._errors");
  format_error = nb::object(errors.attr("FormatError")).release().ptr();
  device_unavailable = nb::object(errors.attr("DeviceUnavailable")).release().ptr();
  device_error = nb::object(errors.attr("DeviceError")).release().ptr();
  rank_error = nb::object(errors.attr("RankError")).release().ptr();
  nb::register_exception_translator(&translate);
}

}  // namespace papilio::python
