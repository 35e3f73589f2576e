#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "arrays.h"
#include "bindings.h"
#include "lock.h"
#include "papilio/sampling.h"
#include "papilio/weighted_choice.h"

// Tables for many draws from one row.

namespace nb = nanobind;

namespace papilio::python {
namespace {

template <class Table>
Table make_table(nb::handle weights, std::uintptr_t cuda_stream) {
  const Array array(weights, "weights");
  array.expect({Number::float32, Number::float64}, "weights", "float32 or float64");
  void* const stream = reinterpret_cast<void*>(cuda_stream);
  if (array.number == Number::float32) {
    const auto view = array.vector<const float>("weights");
    const Unlocked unlocked;
    return Table(view, stream);
  }
  const auto view = array.vector<const double>("weights");
  const Unlocked unlocked;
  return Table(view, stream);
}

template <class Table>
void draw_from_table(const Table& table, nb::handle drawn, std::uint64_t seed, std::uint64_t stream,
                     std::uint64_t first_draw, int threads, std::uintptr_t cuda_stream) {
  const Array out(drawn, "out", true);
  out.expect({Number::int32, Number::int64}, "out", "int32 or int64");
  const RepeatedDrawOptions options = {.seed = seed,
                                       .stream = stream,
                                       .first_draw = first_draw,
                                       .threads = threads,
                                       .cuda_stream = reinterpret_cast<void*>(cuda_stream)};
  const auto call = [&]<class Index>() {
    const auto results = out.vector<Index>("out");
    const Unlocked unlocked;
    table.sample(results, options);
  };
  out.number == Number::int32 ? call.template operator()<std::int32_t>() : call.template operator()<std::int64_t>();
}

// Draws from `weights` or, where these are None, from `categories` of equal weight.
void draw_choice(nb::handle weights, std::int64_t categories, nb::handle drawn, std::uint64_t seed,
                 std::uint64_t stream, std::uint64_t first_draw, int threads) {
  const Array from(weights, "p");
  const Array out(drawn, "out", true);
  if (from) from.expect({Number::float32, Number::float64}, "p", "float32 or float64");
  out.expect({Number::int32, Number::int64}, "out", "int32 or int64");
  const RepeatedDrawOptions options = {.seed = seed, .stream = stream, .first_draw = first_draw, .threads = threads};
  const auto call = [&]<class Index>() {
    const auto results = out.vector<Index>("out");
    const auto floats = from.number == Number::float32 ? from.vector<const float>("p") : VectorView<const float>();
    const auto doubles = from.number == Number::float64 ? from.vector<const double>("p") : VectorView<const double>();
    const Unlocked unlocked;
    if (!from)
      choice(categories, results, options);
    else if (from.number == Number::float32)
      choice(floats, results, options);
    else
      choice(doubles, results, options);
  };
  out.number == Number::int32 ? call.template operator()<std::int32_t>() : call.template operator()<std::int64_t>();
}

template <class Table>
auto bind_table(nb::module_& m, const char* name) {
  return nb::class_<Table>(m, name)
      .def_static("of", &make_table<Table>, nb::arg("weights"), nb::arg("cuda_stream"))
      .def("draw", &draw_from_table<Table>, nb::arg("drawn"), nb::arg("seed"), nb::arg("stream"), nb::arg("first_draw"),
           nb::arg("threads"), nb::arg("cuda_stream"))
      .def("device", [](const Table& table) { return table.device().name(); })
      .def("categories", &Table::categories);
}

}  // namespace

void bind_tables(nb::module_& m) {
  bind_table<AliasTable>(m, "AliasTable");
  m.def("choice", &draw_choice, nb::arg("weights").none(), nb::arg("categories"), nb::arg("drawn"), nb::arg("seed"),
        nb::arg("stream"), nb::arg("first_draw"), nb::arg("threads"));
  bind_table<CumulativeTable>(m, "CumulativeTable").def("find", &CumulativeTable::find, nb::arg("u"));
}

}  // namespace papilio::python
