#include "papilio/without_replacement.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "draw_sources.h"
#include "lock.h"
#include "papilio/resample.h"
#include "shared.h"

// Draws without replacement, reservoirs, and resampling.

namespace nb = nanobind;

namespace papilio::python {
namespace {

using Reservoir = Shared<WeightedReservoir>;

Array int64_array(nb::handle h, const char* what) {
  return Array(h, what).expect({Number::int64, Number::uint64}, what, "int64");
}

template <class F>
void with_floats(const Array& weights, const F& f) {
  with_weight_type(weights, false, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) f.template operator()<T>();
  });
}

// Calls f with the library's view of the source.
template <class F>
void with_rows(const DrawSource& s, const F& f) {
  const auto rows = s.rows.vector<const std::int32_t>("indices");
  with_floats(s.weights, [&]<class T>() {
    if (s.kind == DrawSource::Kind::logits) return f(LogitWeights<T>{s.weights.matrix<T>(), rows, s.temperature});
    if (s.kind == DrawSource::Kind::matrix) return f(MatrixWeights<T>{s.weights.matrix<T>(), rows});
    f(RaggedWeights<T>{s.weights.vector<const T>("weights"), s.offsets.vector<const std::int64_t>("indptr"), rows});
  });
}

// Calls f with `drawn` as a vector of what it holds.
template <class F>
void with_results(const Array& drawn, const F& f) {
  drawn.expect({Number::int32, Number::int64}, "the result", "int32 or int64");
  drawn.number == Number::int32 ? f(drawn.vector<std::int32_t>("the result"))
                                : f(drawn.vector<std::int64_t>("the result"));
}

// `draws` per row, into a contiguous array of rows * draws; all categories of ragged rows where it is negative.
void sample(const DrawSource& source, nb::handle drawn, std::int64_t rows, std::int64_t draws, std::uint64_t seed,
            std::uint64_t stream, std::uint64_t first_row_id, nb::handle row_ids, nb::handle seeds, nb::handle status,
            int threads) {
  const Array ids = int64_array(row_ids, "row_ids"), row_seeds = int64_array(seeds, "seed");
  const Array states = Array(status, "status", true).expect({Number::uint8}, "status", "uint8");
  const Array out(drawn, "the result", true);
  const WithoutReplacementOptions options = {.seed = seed,
                                             .stream = stream,
                                             .first_row_id = first_row_id,
                                             .row_ids = ids.vector<const std::int64_t>("row_ids"),
                                             .seeds = row_seeds.vector<const std::int64_t>("seed"),
                                             .status = states.vector<DrawStatus>("status"),
                                             .threads = threads};
  with_results(out, [&]<class Index>(VectorView<Index> results) {
    with_rows(source, [&]<class Weights>(const Weights& weights) {
      const Unlocked unlocked;
      if constexpr (requires { weighted_shuffle(weights, results, options); }) {
        if (draws < 0) return weighted_shuffle(weights, results, options);
      }
      sample_without_replacement(weights, MatrixView<Index>(results.data, rows, draws), options);
    });
  });
}

Reservoir make_reservoir(std::int64_t k, std::uint64_t seed, std::uint64_t stream, std::uint64_t row_id) {
  return Reservoir(WeightedReservoir(k, {.seed = seed, .stream = stream, .row_id = row_id}));
}

void add_to(Reservoir& reservoir, nb::handle weights, std::int64_t first) {
  const Array array(weights, "weights");
  with_floats(array, [&]<class T>() {
    const auto view = array.vector<const T>("weights");
    reservoir.change([&](WeightedReservoir& value) { value.add(view, first); });
  });
}

// Of a copy, so that no thread holds the locks of two reservoirs.
void merge_into(Reservoir& reservoir, const Reservoir& other) {
  const WeightedReservoir copy = other.read([](const WeightedReservoir& value) { return value; });
  reservoir.change([&](WeightedReservoir& value) { value.merge(copy); });
}

std::vector<std::int64_t> items_of(const WeightedReservoir& reservoir) {
  std::vector<std::int64_t> items(static_cast<std::size_t>(reservoir.size()));
  reservoir.items(VectorView<std::int64_t>(items));
  return items;
}

// Into an array that the caller has made for all of the items.
void items_into(const Reservoir& reservoir, nb::handle out) {
  const auto results = Array(out, "the result", true).vector<std::int64_t>("the result");
  reservoir.draw([&](const WeightedReservoir& value) {
    const std::vector<std::int64_t> items = items_of(value);
    if (std::ssize(items) != results.size) throw InvalidArgument("papilio: the reservoir changes in another thread");
    std::copy(items.begin(), items.end(), results.data);
  });
}

nb::bytes bytes_of(const Reservoir& reservoir) {
  const std::vector<std::byte> bytes = reservoir.read([](const WeightedReservoir& value) { return value.to_bytes(); });
  return nb::bytes(bytes.data(), bytes.size());
}

Reservoir from_bytes(const nb::bytes& bytes) {
  return Reservoir(WeightedReservoir::from_bytes(std::span(static_cast<const std::byte*>(bytes.data()), bytes.size())));
}

void resample_into(nb::handle weights, nb::handle ancestors, const std::string& method, std::uint64_t seed,
                   std::uint64_t stream) {
  const Array array(weights, "weights"), out(ancestors, "the result", true);
  const ResampleOptions options = {.seed = seed, .stream = stream, .method = parse_resample_method(method)};
  with_results(out, [&](auto results) {
    with_floats(array, [&]<class T>() {
      const auto view = array.vector<const T>("weights");
      const Unlocked unlocked;
      resample(view, results, options);
    });
  });
}

}  // namespace

void bind_without_replacement(nb::module_& m) {
  using W = const WeightedReservoir&;
  m.def("sample_without_replacement", &sample, nb::arg("source"), nb::arg("drawn"), nb::kw_only(), nb::arg("rows"),
        nb::arg("draws"), nb::arg("seed"), nb::arg("stream"), nb::arg("first_row_id"), nb::arg("row_ids").none(),
        nb::arg("seeds").none(), nb::arg("status").none(), nb::arg("threads"));
  m.def("resample", &resample_into, nb::arg("weights"), nb::arg("ancestors"), nb::arg("method"), nb::arg("seed"),
        nb::arg("stream"));
  nb::class_<Reservoir>(m, "WeightedReservoir")
      .def_static("of", &make_reservoir, nb::arg("k"), nb::arg("seed"), nb::arg("stream"), nb::arg("row_id"))
      .def_static("from_bytes", &from_bytes, nb::arg("state"))
      .def("to_bytes", &bytes_of)
      .def("capacity", [](const Reservoir& r) { return r.read([](W value) { return value.capacity(); }); })
      .def("size", [](const Reservoir& r) { return r.read([](W value) { return value.size(); }); })
      .def("seed", [](const Reservoir& r) { return r.read([](W value) { return value.options().seed; }); })
      .def("items", &items_into, nb::arg("out"))
      .def("add", &add_to, nb::arg("weights"), nb::arg("first"))
      .def("merge", &merge_into, nb::arg("other"));
}

}  // namespace papilio::python
