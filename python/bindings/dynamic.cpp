#include "papilio/dynamic.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "lock.h"
#include "shared.h"

// Distributions whose weights change.

namespace nb = nanobind;

namespace papilio::python {
namespace {

using Weights = Shared<DynamicWeights>;
using Forest = Shared<DynamicForest>;

template <class T>
VectorView<const T> numbers(const Array& array, Number number, const char* what, const char* expected) {
  array.expect({number}, what, expected);
  return array.vector<const T>(what);
}

Weights make_weights(nb::handle weights, const std::string& method) {
  const Array array(weights, "weights");
  const auto view = numbers<double>(array, Number::float64, "weights", "float64");
  const DynamicMethod parsed = parse_dynamic_method(method);
  const Unlocked unlocked;
  return Weights(DynamicWeights(view, parsed));
}

void update_weights(Weights& kept, nb::handle categories, nb::handle weights) {
  const Array which(categories, "categories"), array(weights, "weights");
  const auto places = numbers<std::int64_t>(which, Number::int64, "categories", "int64");
  const auto view = numbers<double>(array, Number::float64, "weights", "float64");
  kept.change([&](DynamicWeights& value) { value.set(places, view); });
}

// Calls `sample` with `drawn` as what it is.
template <class Sample>
void draw_into(nb::handle drawn, Sample sample) {
  const Array out(drawn, "out", true);
  out.expect({Number::int32, Number::int64}, "out", "int32 or int64");
  const auto call = [&]<class Index>() { sample(out.vector<Index>("out")); };
  out.number == Number::int32 ? call.template operator()<std::int32_t>() : call.template operator()<std::int64_t>();
}

void draw_weights(const Weights& kept, nb::handle drawn, std::uint64_t seed, std::uint64_t stream,
                  std::uint64_t first_draw, int threads) {
  const RepeatedDrawOptions options = {.seed = seed, .stream = stream, .first_draw = first_draw, .threads = threads};
  draw_into(drawn,
            [&](auto results) { kept.draw([&](const DynamicWeights& value) { value.sample(results, options); }); });
}

std::vector<double> all_weights(const DynamicWeights& kept) {
  std::vector<double> weights;
  for (std::int64_t k = 0; k < kept.categories(); ++k) weights.push_back(kept.weight(k));
  return weights;
}

nb::bytes bytes_of(const Weights& kept) {
  const std::vector<std::byte> bytes = kept.read([](const DynamicWeights& value) { return value.to_bytes(); });
  return nb::bytes(bytes.data(), bytes.size());
}

Weights from_bytes(const nb::bytes& bytes) {
  return Weights(DynamicWeights::from_bytes(std::span(static_cast<const std::byte*>(bytes.data()), bytes.size())));
}

Forest make_forest(nb::handle weights, std::uintptr_t cuda_stream) {
  const Array array(weights, "weights");
  array.expect({Number::float64}, "weights", "float64");
  const auto view = array.matrix<double>();
  const Unlocked unlocked;
  return Forest(DynamicForest(view, std::bit_cast<void*>(cuda_stream)));
}

// None is not an array.
Array byte_array(nb::handle h, const char* what) { return Array(h, what, true).expect({Number::uint8}, what, "uint8"); }

void update_forest(Forest& forest, nb::handle rows, nb::handle categories, nb::handle weights, int threads,
                   nb::handle status, std::uintptr_t cuda_stream, nb::handle workspace) {
  const Array row_array(rows, "rows"), which(categories, "categories"), array(weights, "weights");
  const Array states = byte_array(status, "status"), memory = byte_array(workspace, "the workspace");
  const auto row_view = numbers<std::int64_t>(row_array, Number::int64, "rows", "int64");
  const auto places = numbers<std::int64_t>(which, Number::int64, "categories", "int64");
  const auto view = numbers<double>(array, Number::float64, "weights", "float64");
  const ForestUpdateOptions options = {.threads = threads,
                                       .status = states.vector<DrawStatus>("status"),
                                       .cuda_stream = std::bit_cast<void*>(cuda_stream),
                                       .workspace = memory.vector<std::byte>("the workspace")};
  forest.change([&](DynamicForest& value) { value.set(row_view, places, view, options); });
}

void draw_forest(const Forest& forest, nb::handle rows, nb::handle drawn, std::uint64_t seed, std::uint64_t stream,
                 std::uint64_t first_draw, int threads, std::uintptr_t cuda_stream) {
  const Array row_array(rows, "rows");
  const auto row_view = numbers<std::int64_t>(row_array, Number::int64, "rows", "int64");
  const ForestDrawOptions options = {.seed = seed,
                                     .stream = stream,
                                     .first_draw = first_draw,
                                     .threads = threads,
                                     .status = {},
                                     .cuda_stream = std::bit_cast<void*>(cuda_stream)};
  draw_into(drawn, [&](auto results) {
    forest.draw([&](const DynamicForest& value) { value.sample(row_view, results, options); });
  });
}

}  // namespace

void bind_dynamic(nb::module_& m) {
  using W = const DynamicWeights&;
  using F = const DynamicForest&;
  nb::class_<Weights>(m, "DynamicWeights")
      .def_static("of", &make_weights, nb::arg("weights"), nb::arg("method"))
      .def_static("from_bytes", &from_bytes, nb::arg("state"))
      .def("to_bytes", &bytes_of)
      .def("categories", [](const Weights& w) { return w.read([](W value) { return value.categories(); }); })
      .def("method", [](const Weights& w) { return w.read([](W value) { return std::string(name(value.method())); }); })
      .def(
          "weight",
          [](const Weights& w, std::int64_t category) {
            return w.read([&](W value) { return value.weight(category); });
          },
          nb::arg("category"))
      .def("weights", [](const Weights& w) { return w.read(all_weights); })
      .def("total", [](const Weights& w) { return w.read([](W value) { return value.total(); }); })
      .def("update", &update_weights, nb::arg("categories"), nb::arg("weights"))
      .def(
          "add",
          [](Weights& w, std::int64_t category, double amount) {
            w.change([&](DynamicWeights& value) { value.add(category, amount); });
          },
          nb::arg("category"), nb::arg("amount"))
      .def("rebuild", [](Weights& w) { w.change([](DynamicWeights& value) { value.rebuild(); }); })
      .def("mean_comparisons",
           [](const Weights& w) { return w.read([](W value) { return value.mean_comparisons(); }); })
      .def("draw", &draw_weights, nb::arg("drawn"), nb::arg("seed"), nb::arg("stream"), nb::arg("first_draw"),
           nb::arg("threads"));
  nb::class_<Forest>(m, "DynamicForest")
      .def_static("of", &make_forest, nb::arg("weights"), nb::arg("cuda_stream"))
      .def("rows", [](const Forest& f) { return f.read([](F value) { return value.rows(); }); })
      .def("categories", [](const Forest& f) { return f.read([](F value) { return value.categories(); }); })
      .def(
          "weight",
          [](const Forest& f, std::int64_t row, std::int64_t category, std::uintptr_t cuda_stream) {
            return f.read([&](F value) { return value.weight(row, category, std::bit_cast<void*>(cuda_stream)); });
          },
          nb::arg("row"), nb::arg("category"), nb::arg("cuda_stream"))
      .def(
          "total",
          [](const Forest& f, std::int64_t row, std::uintptr_t cuda_stream) {
            return f.read([&](F value) { return value.total(row, std::bit_cast<void*>(cuda_stream)); });
          },
          nb::arg("row"), nb::arg("cuda_stream"))
      .def(
          "workspace_bytes",
          [](const Forest& f, std::int64_t updates) {
            return f.read([&](F value) { return value.update_workspace_bytes(updates); });
          },
          nb::arg("updates"))
      .def("update", &update_forest, nb::arg("rows"), nb::arg("categories"), nb::arg("weights"), nb::arg("threads"),
           nb::arg("status").none(), nb::arg("cuda_stream"), nb::arg("workspace").none())
      .def("draw", &draw_forest, nb::arg("rows"), nb::arg("drawn"), nb::arg("seed"), nb::arg("stream"),
           nb::arg("first_draw"), nb::arg("threads"), nb::arg("cuda_stream"));
}

}  // namespace papilio::python
