#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Names of files, which are bytes: not every name is UTF-8. Python writes the others as str with surrogates
// (os.fsdecode), or as bytes.

namespace papilio::python {

struct PathName {
  std::string bytes;
};

// Names of documents, which of a folder are those of its files: bytes that are not UTF-8 become surrogates.
struct DocumentNames {
  std::vector<std::string> values;
};

// Text for a message, where bytes that are not UTF-8 are shown as \xNN.
inline nanobind::str text_of(std::string_view bytes) {
  PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace");
  if (text == nullptr) nanobind::raise_python_error();
  return nanobind::steal<nanobind::str>(text);
}

}  // namespace papilio::python

template <>
struct nanobind::detail::type_caster<papilio::python::PathName> {
  NB_TYPE_CASTER(papilio::python::PathName, const_name("str | bytes"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    object bytes;
    if (PyUnicode_Check(source.ptr())) {
      bytes = steal(PyUnicode_EncodeFSDefault(source.ptr()));
      if (!bytes.is_valid()) PyErr_Clear();
    } else if (PyBytes_Check(source.ptr())) {
      bytes = borrow(source);
    }
    if (!bytes.is_valid()) return false;
    value.bytes.assign(PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr())));
    return true;
  }
};

template <>
struct nanobind::detail::type_caster<papilio::python::DocumentNames> {
  NB_TYPE_CASTER(papilio::python::DocumentNames, io_name("collections.abc.Sequence[str]", "list[str]"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    const object names = PyUnicode_Check(source.ptr()) ? object() : steal(PySequence_Fast(source.ptr(), ""));
    if (!names.is_valid()) {
      PyErr_Clear();
      return false;
    }
    const Py_ssize_t count = PySequence_Size(names.ptr());
    value.values.clear();
    for (Py_ssize_t i = 0; i < count; ++i) {
      const object name = steal(PySequence_GetItem(names.ptr(), i));
      const object bytes = name.is_valid() && PyUnicode_Check(name.ptr())
                               ? steal(PyUnicode_AsEncodedString(name.ptr(), "utf-8", "surrogateescape"))
                               : object();
      if (!bytes.is_valid()) {
        PyErr_Clear();
        return false;
      }
      value.values.emplace_back(PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr())));
    }
    return true;
  }

  static handle from_cpp(const papilio::python::DocumentNames& names, rv_policy, cleanup_list*) noexcept {
    object made = steal(PyList_New(0));
    for (const std::string& name : names.values) {
      const auto size = static_cast<Py_ssize_t>(name.size());
      const object text = steal(PyUnicode_DecodeUTF8(name.data(), size, "surrogateescape"));
      if (!made.is_valid() || !text.is_valid() || PyList_Append(made.ptr(), text.ptr()) != 0) return handle();
    }
    return made.release();
  }
};
