#include "papilio/primitives.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "lock.h"

// What papilio/_primitives.py calls. Where `measure` is true, a function returns the bytes of workspace that the call
// needs, and does nothing else.

namespace nb = nanobind;

namespace papilio::python {
namespace {

Array words(nb::handle h, const char* what) { return Array(h, what).expect({Number::int64}, what, "int64"); }
Array writable_words(nb::handle h, const char* what) {
  return Array(h, what, true).expect({Number::int64}, what, "int64");
}
Array bytes(nb::handle h, const char* what) { return Array(h, what, true).expect({Number::uint8}, what, "uint8"); }

// Where a call runs, and what it is lent there.
struct Place {
  int threads;
  std::uintptr_t cuda_stream;
  Array workspace, status;

  template <class Options>
  Options in(Options options) const {
    options.threads = threads;
    options.cuda_stream = reinterpret_cast<void*>(cuda_stream);
    options.workspace = workspace.vector<std::byte>("the workspace");
    if constexpr (requires { options.status; }) options.status = status.vector<std::int64_t>("the status");
    return options;
  }
};

Place place(int threads, std::uintptr_t cuda_stream, nb::handle workspace, nb::handle status) {
  return {threads, cuda_stream, bytes(workspace, "the workspace"), writable_words(status, "the status")};
}

// Calls f<T>() with the type of the values.
template <class F>
std::int64_t with_values(const Array& values, const char* what, const F& f) {
  switch (values.number) {
    case Number::int32:
      return f.template operator()<std::int32_t>();
    case Number::int64:
      return f.template operator()<std::int64_t>();
    case Number::float32:
      return f.template operator()<float>();
    case Number::float64:
      return f.template operator()<double>();
    default:
      values.expect({}, what, "int32, int64, float32 or float64");
      return 0;
  }
}

template <class F>
std::int64_t with_indices(const Array& indices, const F& f) {
  indices.expect({Number::int32, Number::int64}, "indices", "int32 or int64");
  return indices.number == Number::int32 ? f.template operator()<std::int32_t>()
                                         : f.template operator()<std::int64_t>();
}

std::int64_t reduce_indices(nb::handle indices, nb::handle values, nb::handle out, std::string_view op,
                            bool skip_out_of_range, bool small_workspace, int threads, std::uintptr_t cuda_stream,
                            nb::handle workspace, nb::handle status, bool measure) {
  const Array from(indices, "indices"), weights(values, "values"), bins(out, "out", true);
  const Place at = place(threads, cuda_stream, workspace, status);
  const auto options = at.in(ReduceByIndexOptions{
      .op = parse_reduce_op(op), .skip_out_of_range = skip_out_of_range, .small_workspace = small_workspace});
  weights.expect({Number::int32, Number::int64, Number::float32, Number::float64}, "values",
                 "int32, int64, float32 or float64");
  if (weights) weights.expect({bins.number}, "values", "the dtype of out");
  return with_indices(from, [&]<class Index>() {
    return with_values(bins, "out", [&]<class T>() -> std::int64_t {
      const auto places = from.vector<const Index>("indices");
      const auto results = bins.vector<T>("out");
      if (weights) {
        const auto items = weights.vector<const T>("values");
        if (measure) return reduce_by_index_workspace_bytes<Index, T>(places, items, results, options);
        const Unlocked unlocked;
        reduce_by_index<Index, T>(places, items, results, options);
      } else if constexpr (std::is_integral_v<T>) {
        if (measure) return reduce_by_index_workspace_bytes<Index, T>(places, results, options);
        const Unlocked unlocked;
        reduce_by_index<Index, T>(places, results, options);
      } else {
        bins.expect({Number::int32, Number::int64}, "out", "int32 or int64, which count");
      }
      return 0;
    });
  });
}

std::int64_t reduce_segments(nb::handle values, nb::handle offsets, nb::handle out, std::string_view op, int threads,
                             std::uintptr_t cuda_stream, nb::handle workspace, nb::handle status, bool measure) {
  const Array from(values, "values"), segments = words(offsets, "offsets"), results(out, "out", true);
  const Place at = place(threads, cuda_stream, workspace, status);
  const auto options = at.in(SegmentedReduceOptions{.op = parse_reduce_op(op)});
  results.expect({from.number}, "out", "the dtype of the values");
  return with_values(from, "values", [&]<class T>() -> std::int64_t {
    const auto bounds = segments.vector<const std::int64_t>("offsets");
    const auto items = from.vector<const T>("values");
    const auto reduced = results.vector<T>("out");
    if (measure) return segmented_reduce_workspace_bytes<T>(bounds, items, reduced, options);
    const Unlocked unlocked;
    segmented_reduce<T>(bounds, items, reduced, options);
    return 0;
  });
}

// `segments` are offsets (int64), flags (uint8), or None.
std::int64_t scan_values(nb::handle values, nb::handle segments, nb::handle out, std::string_view op, bool exclusive,
                         int threads, std::uintptr_t cuda_stream, nb::handle workspace, nb::handle status,
                         bool measure) {
  const Array from(values, "values"), by(segments, "offsets or flags"), results(out, "out", true);
  by.expect({Number::int64, Number::uint8}, "offsets or flags", "int64 or uint8");
  const Place at = place(threads, cuda_stream, workspace, status);
  const auto options = at.in(ScanOptions{.op = parse_reduce_op(op), .exclusive = exclusive});
  results.expect({from.number}, "out", "the dtype of the values");
  return with_values(from, "values", [&]<class T>() -> std::int64_t {
    const auto items = from.vector<const T>("values");
    const auto scanned = results.vector<T>("out");
    if (!by) {
      if (measure) return scan_workspace_bytes<T>(items, scanned, options);
      const Unlocked unlocked;
      scan<T>(items, scanned, options);
      return 0;
    }
    const auto segmented = [&](const auto& bounds) -> std::int64_t {
      if (measure) return segmented_scan_workspace_bytes<T>(bounds, items, scanned, options);
      const Unlocked unlocked;
      segmented_scan<T>(bounds, items, scanned, options);
      return 0;
    };
    return by.number == Number::int64 ? segmented(by.vector<const std::int64_t>("offsets"))
                                      : segmented(by.vector<const std::uint8_t>("flags"));
  });
}

// An element of 16 bytes that is moved and not looked at.
struct Sixteen {
  std::uint64_t half[2];
};

// Calls f<T>() with a type of the entries' size.
template <class F>
std::int64_t with_elements(const Array& array, const F& f) {
  switch (array.number) {
    case Number::uint8:
    case Number::int8:
    case Number::boolean:
    case Number::float8_e4m3fn:
    case Number::float8_e5m2:
      return f.template operator()<std::uint8_t>();
    case Number::int16:
    case Number::uint16:
    case Number::float16:
    case Number::bfloat16:
      return f.template operator()<std::uint16_t>();
    case Number::int32:
    case Number::uint32:
    case Number::float32:
      return f.template operator()<std::uint32_t>();
    case Number::complex128:
      return f.template operator()<Sixteen>();
    case Number::int64:
    case Number::uint64:
    case Number::float64:
      return f.template operator()<std::uint64_t>();
    case Number::none:
      return 0;
  }
  return 0;
}

std::int64_t keep_flagged(nb::handle values, nb::handle flags, nb::handle out, nb::handle count, int threads,
                          std::uintptr_t cuda_stream, nb::handle workspace, nb::handle status, bool measure) {
  const Array from(values, "values"), by(flags, "flags"), results(out, "out", true);
  const Array number = writable_words(count, "the count");
  by.expect({Number::uint8, Number::int32}, "flags", "bool, uint8 or int32");
  results.expect({from.number}, "out", "the dtype of the values");
  const Place at = place(threads, cuda_stream, workspace, status);
  const auto options = at.in(CompactOptions{.count = number.vector<std::int64_t>("the count")});
  return with_elements(from, [&]<class T>() -> std::int64_t {
    const auto items = from.vector<const T>("values");
    const auto kept = results.vector<T>("out");
    const auto call = [&]<class Flag>() -> std::int64_t {
      const auto marks = by.vector<const Flag>("flags");
      if (measure) return compact_workspace_bytes<Flag, T>(marks, items, kept, options);
      const Unlocked unlocked;
      return compact<Flag, T>(marks, items, kept, options);
    };
    return by.number == Number::uint8 ? call.template operator()<std::uint8_t>()
                                      : call.template operator()<std::int32_t>();
  });
}

// The first matrices of a batch, and the distance from one to the next.
void transpose_matrices(nb::handle matrix, nb::handle out, std::int64_t batch, std::int64_t stride,
                        std::int64_t out_stride, int threads, std::uintptr_t cuda_stream) {
  const Array from(matrix, "matrix"), results(out, "out", true);
  results.expect({from.number}, "out", "the dtype of the matrix");
  const TransposeOptions options = {.batch = batch,
                                    .in_batch_stride = stride,
                                    .out_batch_stride = out_stride,
                                    .threads = threads,
                                    .cuda_stream = reinterpret_cast<void*>(cuda_stream)};
  with_elements(from, [&]<class T>() -> std::int64_t {
    const auto in = from.matrix<T>();
    const MatrixView<T> transposed(static_cast<T*>(results.data), results.shape[0], results.shape[1], results.stride[0],
                                   results.stride[1], results.device());
    const Unlocked unlocked;
    transpose<T>(in, transposed, options);
    return 0;
  });
}

// The number of the error that a status word tells of, and its place.
std::pair<int, std::int64_t> read_status(std::int64_t word) {
  const PrimitiveStatus status = primitive_status(word);
  return {static_cast<int>(status.error), status.place};
}

}  // namespace

void bind_primitives(nb::module_& m) {
  m.def("reduce_by_index", &reduce_indices, nb::arg("indices"), nb::arg("values").none(), nb::arg("out"), nb::arg("op"),
        nb::arg("skip_out_of_range"), nb::arg("small_workspace"), nb::arg("threads"), nb::arg("cuda_stream"),
        nb::arg("workspace").none(), nb::arg("status").none(), nb::arg("measure"));
  m.def("segmented_reduce", &reduce_segments, nb::arg("values"), nb::arg("offsets"), nb::arg("out"), nb::arg("op"),
        nb::arg("threads"), nb::arg("cuda_stream"), nb::arg("workspace").none(), nb::arg("status").none(),
        nb::arg("measure"));
  m.def("scan", &scan_values, nb::arg("values"), nb::arg("segments").none(), nb::arg("out"), nb::arg("op"),
        nb::arg("exclusive"), nb::arg("threads"), nb::arg("cuda_stream"), nb::arg("workspace").none(),
        nb::arg("status").none(), nb::arg("measure"));
  m.def("compact", &keep_flagged, nb::arg("values"), nb::arg("flags"), nb::arg("out"), nb::arg("count").none(),
        nb::arg("threads"), nb::arg("cuda_stream"), nb::arg("workspace").none(), nb::arg("status").none(),
        nb::arg("measure"));
  m.def("transpose", &transpose_matrices, nb::arg("matrix"), nb::arg("out"), nb::arg("batch"), nb::arg("stride"),
        nb::arg("out_stride"), nb::arg("threads"), nb::arg("cuda_stream"));
  m.def("read_status", &read_status, nb::arg("word"));
}

}  // namespace papilio::python
