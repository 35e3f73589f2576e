#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string>

#include "arrays.h"
#include "bindings.h"
#include "draw_sources.h"
#include "papilio/sampling.h"

// What papilio/_draws.py calls. Its tuples keep a call cheap:
//
//   source   ("matrix", weights, rows) | ("logits", logits, rows, temperature)
//            | ("ragged", values, offsets, rows) | ("products", left, left_rows, right, right_rows)
//   options  (seed, stream, first_row_id, row_ids, seeds, status, check_negative, threads,
//            method, cuda_stream, workspace)

namespace nb = nanobind;

namespace papilio::python {

namespace {

Array index_array(nb::handle h, const char* what) { return Array(h, what).expect({Number::int32}, what, "int32"); }
Array long_array(nb::handle h, const char* what) {
  return Array(h, what).expect({Number::int64, Number::uint64}, what, "int64");
}

DrawSource source_of(nb::tuple t) {
  const std::string kind = nb::cast<std::string>(t[0]);
  DrawSource s;
  s.weights = Array(t[1], kind == "products" ? "left" : "weights");
  if (kind == "matrix" || kind == "logits") {
    s.rows = index_array(t[2], "indices");
    if (kind == "logits") {
      s.kind = DrawSource::Kind::logits;
      s.temperature = nb::cast<double>(t[3]);
    }
  } else if (kind == "ragged") {
    s.kind = DrawSource::Kind::ragged;
    s.offsets = long_array(t[2], "indptr");
    s.rows = index_array(t[3], "indices");
  } else {
    s.kind = DrawSource::Kind::products;
    s.rows = index_array(t[2], "left_rows");
    s.right = Array(t[3], "right");
    s.right.expect({s.weights.number}, "right", "the dtype of left");
    s.right_rows = index_array(t[4], "right_rows");
  }
  return s;
}

// The options, and the arrays that they borrow.
struct Options {
  explicit Options(nb::tuple o)
      : row_ids(long_array(o[3], "row_ids")),
        seeds(long_array(o[4], "seed")),
        status(Array(o[5], "status", true).expect({Number::uint8}, "status", "uint8")),
        workspace(Array(o[10], "the workspace", true).expect({Number::uint8}, "the workspace", "uint8")) {
    values.seed = nb::cast<std::uint64_t>(o[0]);
    values.stream = nb::cast<std::uint64_t>(o[1]);
    values.first_row_id = nb::cast<std::uint64_t>(o[2]);
    values.row_ids = row_ids.vector<const std::int64_t>("row_ids");
    values.seeds = seeds.vector<const std::int64_t>("seed");
    values.status = status.vector<DrawStatus>("status");
    values.check_negative = nb::cast<bool>(o[6]);
    values.threads = nb::cast<int>(o[7]);
    values.method = parse_partial_sums(nb::borrow<nb::str>(o[8]).c_str());
    values.cuda_stream = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(o[9]));
    values.workspace = workspace.vector<std::byte>("the workspace");
  }

  Array row_ids, seeds, status, workspace;
  SampleOptions values;
};

void draw(nb::tuple source, nb::handle drawn, nb::tuple options) {
  const Array out = Array(drawn, "out", true);
  out.expect({Number::int32, Number::int64}, "out", "int32 or int64");
  const Options o(options);
  with_weights(source_of(source), [&](const auto& weights) {
    const auto call = [&]<class Index>() {
      const auto results = out.vector<Index>("out");
      const nb::gil_scoped_release release;
      sample_categorical(weights, results, o.values);
    };
    out.number == Number::int32 ? call.template operator()<std::int32_t>() : call.template operator()<std::int64_t>();
  });
}

std::int64_t workspace_bytes(nb::tuple source, const char* method) {
  std::int64_t bytes = 0;
  with_weights(source_of(source),
               [&](const auto& weights) { bytes = sample_workspace_bytes(weights, parse_partial_sums(method)); });
  return bytes;
}

}  // namespace

void bind_draws(nb::module_& m) {
  m.def(
      "status_name", [](int status) { return name(static_cast<DrawStatus>(status)); }, nb::arg("status"));
  m.def("draw", &draw, nb::arg("source"), nb::arg("drawn"), nb::arg("options"));
  m.def("workspace_bytes", &workspace_bytes, nb::arg("source"), nb::arg("method"));
}

}  // namespace papilio::python
