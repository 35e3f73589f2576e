#include "arrays.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "bindings.h"

namespace nb = nanobind;

namespace papilio::python {
namespace {

constexpr const char* names[] = {"none",    "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float32",
                                 "float64", "int32",   "int64",    "uint64",        "uint8",       "complex128",
                                 "int8",    "int16",   "uint16",   "uint32",        "bool"};
constexpr std::size_t sizes[] = {1, 2, 2, 1, 1, 4, 8, 4, 8, 8, 1, 16, 1, 2, 2, 4, 1};

Number number_of(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  if (type.lanes != 1) return Number::none;
  const auto is = [&](Code code, int bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits;
  };
  if (is(Code::Float, 32)) return Number::float32;
  if (is(Code::Float, 64)) return Number::float64;
  if (is(Code::Float, 16)) return Number::float16;
  if (is(Code::Bfloat, 16)) return Number::bfloat16;
  if (is(Code::Float8_E4M3FN, 8)) return Number::float8_e4m3fn;
  if (is(Code::Float8_E5M2, 8)) return Number::float8_e5m2;
  if (is(Code::Int, 32)) return Number::int32;
  if (is(Code::Int, 64)) return Number::int64;
  if (is(Code::UInt, 64)) return Number::uint64;
  if (is(Code::UInt, 8)) return Number::uint8;
  if (is(Code::Int, 8)) return Number::int8;
  if (is(Code::Int, 16)) return Number::int16;
  if (is(Code::UInt, 16)) return Number::uint16;
  if (is(Code::UInt, 32)) return Number::uint32;
  if (is(Code::Bool, 8)) return Number::boolean;
  return Number::none;
}

[[noreturn]] void throw_type_error(const nb::str& text) { throw nb::type_error(text.c_str()); }

bool is_whole(Number number) { return number >= Number::int32 && number != Number::complex128; }

// How to make floats of whole numbers. Other expectations are not of weights, but of indices, results and values.
std::string conversion(Number from, const std::string& what, std::string_view expected) {
  const bool is_for_floats = expected.starts_with("float") && expected.find("int") == std::string_view::npos;
  return is_for_floats && is_whole(from) ? "; use " + what + ".astype(np.float32)" : "";
}

nb::object python_type(nb::handle h) { return h.type().attr("__name__"); }

}  // namespace

Array::Array(nb::handle source, const char* what, bool writable) {
  if (source.is_none()) return;
  if (nb::isinstance<Array>(source))
    *this = nb::cast<const Array&>(source);
  else
    import(source, what, writable);
}

Array Array::at(const char* what, std::uintptr_t address, const Extents& shape, const Extents& strides,
                const char* dtype, int cuda_ordinal) {
  Array array;
  array.set_dimensions(shape.size(), what);
  if (strides.size() != shape.size())
    throw InvalidArgument(std::string("papilio: ") + what + " must have one stride per dimension");
  array.data = reinterpret_cast<void*>(address);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    array.shape[i] = nb::cast<std::int64_t>(shape[i]);
    array.stride[i] = nb::cast<std::int64_t>(strides[i]);
  }
  const auto* found =
      std::find_if(std::begin(names), std::end(names), [&](const char* n) { return std::strcmp(n, dtype) == 0; });
  if (found == std::end(names) || found == std::begin(names))
    throw_type_error(nb::str("papilio: {} has the dtype {}, which papilio does not support").format(what, dtype));
  array.number = static_cast<Number>(found - std::begin(names));
  array.cuda_ordinal = cuda_ordinal;
  array.check_alignment(what);
  return array;
}

void Array::set_dimensions(std::size_t count, const char* what) {
  if (count < 1 || count > 2)
    throw InvalidArgument(std::string("papilio: ") + what + " must have one or two dimensions; got " +
                          std::to_string(count));
  dimensions = static_cast<int>(count);
}

void Array::import(nb::handle source, const char* what, bool writable) {
  nb::ndarray<> writable_array;
  nb::ndarray<nb::ro> array;
  const bool taken = writable ? nb::try_cast(source, writable_array) : nb::try_cast(source, array);
  if (!taken)
    throw_type_error(nb::str("papilio: {} must be {}array of numbers; got {}")
                         .format(what, writable ? "a writable " : "an ", python_type(source)));
  const auto take = [&](auto& from) {
    set_dimensions(from.ndim(), what);
    number = number_of(from.dtype());
    if (number == Number::none)
      throw_type_error(nb::str("papilio: {} has a dtype that papilio does not support").format(what));
    data = const_cast<void*>(static_cast<const void*>(from.data()));
    for (int i = 0; i < dimensions; ++i) {
      shape[i] = static_cast<std::int64_t>(from.shape(static_cast<std::size_t>(i)));
      stride[i] = from.stride(static_cast<std::size_t>(i));
    }
    if (from.device_type() == nb::device::cuda::value || from.device_type() == nb::device::cuda_managed::value)
      cuda_ordinal = from.device_id();
    else if (from.device_type() != nb::device::cpu::value && from.device_type() != nb::device::cuda_host::value)
      throw_type_error(nb::str("papilio: {} is on a device that is neither the CPU nor a CUDA device").format(what));
    owner_ = nb::ndarray<nb::ro>(from);
  };
  if (writable)
    take(writable_array);
  else
    take(array);
  check_alignment(what);
}

void Array::check_alignment(const char* what) const {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::size_t size = std::min<std::size_t>(sizes[static_cast<std::size_t>(number)], 8);
  if (shape[0] > 0 && address % size != 0)
    throw InvalidArgument(std::string("papilio: ") + what + " must be aligned to its entries of " +
                          std::to_string(size) + " bytes in memory; its address is " + std::to_string(address) +
                          "; a copy is aligned");
}

std::pair<std::uintptr_t, std::uintptr_t> Array::bytes() const {
  const auto size = static_cast<std::int64_t>(sizes[static_cast<std::size_t>(number)]);
  std::int64_t first = 0, last = 0;
  for (int i = 0; i < dimensions; ++i) {
    if (shape[i] == 0) return {0, 0};
    const std::int64_t reach = stride[i] * (shape[i] - 1) * size;
    (reach < 0 ? first : last) += reach;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  return {address + static_cast<std::uintptr_t>(first), address + static_cast<std::uintptr_t>(last + size)};
}

bool Array::overlaps(const Array& other) const {
  if (number == Number::none || other.number == Number::none || cuda_ordinal != other.cuda_ordinal) return false;
  const auto [begin, end] = bytes();
  const auto [other_begin, other_end] = other.bytes();
  return begin < other_end && other_begin < end;
}

void Array::check_vector(const char* what) const {
  if (dimensions != 1)
    throw InvalidArgument(std::string("papilio: ") + what + " must have one dimension; got " +
                          std::to_string(dimensions));
  if (shape[0] > 1 && stride[0] != 1)
    throw InvalidArgument(std::string("papilio: ") + what + " must be contiguous; got a stride of " +
                          std::to_string(stride[0]));
}

const Array& Array::expect(std::initializer_list<Number> numbers, const char* what, const char* expected) const {
  if (number != Number::none && std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
    const std::string hint = owner_.is_valid() ? conversion(number, what, expected) : "";
    throw_type_error(nb::str("papilio: {} must be of {}; got {}{}")
                         .format(what, expected, names[static_cast<std::size_t>(number)], hint.c_str()));
  }
  return *this;
}

void bind_arrays(nb::module_& m) {
  nb::class_<Array>(m, "Array")
      .def(nb::init<nb::handle, const char*, bool>(), nb::arg("source"), nb::arg("what"), nb::arg("writable"))
      .def_static("at", &Array::at, nb::arg("what"), nb::arg("address"), nb::arg("shape"), nb::arg("strides"),
                  nb::arg("dtype"), nb::arg("cuda_ordinal"))
      .def_prop_ro("shape", [](const Array& self) {
        return self.dimensions == 1 ? nb::make_tuple(self.shape[0]) : nb::make_tuple(self.shape[0], self.shape[1]);
      });
}

}  // namespace papilio::python
