#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string>
#include <string_view>

#include "arrays.h"
#include "bindings.h"
#include "draw_sources.h"
#include "lock.h"
#include "papilio/sampling.h"

// What papilio/_direct_draws.py calls.

namespace nb = nanobind;

namespace papilio::python {

namespace {

Array index_array(nb::handle h, const char* what) { return Array(h, what).expect({Number::int32}, what, "int32"); }
Array long_array(nb::handle h, const char* what) {
  return Array(h, what).expect({Number::int64, Number::uint64}, what, "int64");
}
Array byte_array(nb::handle h, const char* what) { return Array(h, what, true).expect({Number::uint8}, what, "uint8"); }

DrawSource matrix_source(nb::handle weights, nb::handle rows) {
  return {.weights = Array(weights, "weights"), .rows = index_array(rows, "indices")};
}

DrawSource logits_source(nb::handle logits, nb::handle rows, double temperature) {
  return {.kind = DrawSource::Kind::logits,
          .weights = Array(logits, "weights"),
          .rows = index_array(rows, "indices"),
          .temperature = temperature};
}

DrawSource ragged_source(nb::handle values, nb::handle offsets, nb::handle rows) {
  return {.kind = DrawSource::Kind::ragged,
          .weights = Array(values, "weights"),
          .rows = index_array(rows, "indices"),
          .offsets = long_array(offsets, "indptr")};
}

DrawSource products_source(nb::handle left, nb::handle left_rows, nb::handle right, nb::handle right_rows) {
  DrawSource source = {.kind = DrawSource::Kind::products,
                       .weights = Array(left, "left"),
                       .rows = index_array(left_rows, "left_rows"),
                       .right = Array(right, "right"),
                       .right_rows = index_array(right_rows, "right_rows")};
  source.right.expect({source.weights.number}, "right", "the dtype of left");
  return source;
}

void bind_sources(nb::module_& m) {
  nb::class_<DrawSource>(m, "DrawSource", "Where the weights of a draw are: one of four layouts.")
      .def_static("matrix", &matrix_source, nb::arg("weights"), nb::arg("rows").none())
      .def_static("logits", &logits_source, nb::arg("logits"), nb::arg("rows").none(), nb::arg("temperature"))
      .def_static("ragged", &ragged_source, nb::arg("values"), nb::arg("offsets"), nb::arg("rows").none())
      .def_static("products", &products_source, nb::arg("left"), nb::arg("left_rows").none(), nb::arg("right"),
                  nb::arg("right_rows").none());
}

// Draws into `drawn`; the arrays of the options are borrowed until it returns.
void draw(const DrawSource& source, const Array& drawn, const SampleOptions& options) {
  drawn.expect({Number::int32, Number::int64}, "out", "int32 or int64");
  with_weights(source, [&](const auto& weights) {
    const auto call = [&]<class Index>() {
      const auto results = drawn.vector<Index>("out");
      const Unlocked unlocked;
      sample_categorical(weights, results, options);
    };
    drawn.number == Number::int32 ? call.template operator()<std::int32_t>() : call.template operator()<std::int64_t>();
  });
}

// The keywords of `_core.draw` as the library's options.
void draw_with_keywords(const DrawSource& source, nb::handle drawn, std::uint64_t seed, std::uint64_t stream,
                        std::uint64_t first_row_id, nb::handle row_ids, nb::handle seeds, nb::handle status,
                        bool check_negative, int threads, std::string_view method, std::uintptr_t cuda_stream,
                        nb::handle workspace) {
  const Array ids = long_array(row_ids, "row_ids");
  const Array row_seeds = long_array(seeds, "seed");
  const Array states = byte_array(status, "status");
  const Array memory = byte_array(workspace, "the workspace");
  const Array out(drawn, "out", true);
  for (const Array* input :
       {&source.weights, &source.rows, &source.offsets, &source.right, &source.right_rows, &ids, &row_seeds})
    if (out.overlaps(*input))
      throw InvalidArgument(
          "papilio: out shares memory with an input, which rows drawn later still read; give out "
          "memory of its own");
  draw(source, out,
       {.seed = seed,
        .stream = stream,
        .first_row_id = first_row_id,
        .row_ids = ids.vector<const std::int64_t>("row_ids"),
        .seeds = row_seeds.vector<const std::int64_t>("seed"),
        .status = states.vector<DrawStatus>("status"),
        .check_negative = check_negative,
        .threads = threads,
        .method = parse_partial_sums(method),
        .cuda_stream = reinterpret_cast<void*>(cuda_stream),
        .workspace = memory.vector<std::byte>("the workspace")});
}

std::int64_t workspace_bytes(const DrawSource& source, std::string_view method) {
  std::int64_t bytes = 0;
  with_weights(source,
               [&](const auto& weights) { bytes = sample_workspace_bytes(weights, parse_partial_sums(method)); });
  return bytes;
}

}  // namespace

void bind_draws(nb::module_& m) {
  m.def(
      "status_name", [](int status) { return name(static_cast<DrawStatus>(status)); }, nb::arg("status"));
  bind_sources(m);
  m.def("draw", &draw_with_keywords, nb::arg("source"), nb::arg("drawn"), nb::kw_only(), nb::arg("seed"),
        nb::arg("stream"), nb::arg("first_row_id"), nb::arg("row_ids").none(), nb::arg("seeds").none(),
        nb::arg("status").none(), nb::arg("check_negative"), nb::arg("threads"), nb::arg("method"),
        nb::arg("cuda_stream"), nb::arg("workspace").none());
  m.def("workspace_bytes", &workspace_bytes, nb::arg("source"), nb::arg("method"));
}

}  // namespace papilio::python
