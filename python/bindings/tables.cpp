#include <nanobind/nanobind.h>

#include "arrays.h"
#include "bindings.h"
#include "papilio/sampling.h"

// Tables for many draws from one row.

namespace nb = nanobind;

namespace papilio::python {
namespace {

template <class Table>
Table make_table(nb::handle weights) {
  const Array array(weights, "weights");
  array.expect({Number::float32, Number::float64}, "weights", "float32 or float64");
  if (!array.device().is_cpu())
    throw InvalidArgument("papilio: tables are made and drawn from on the CPU; the weights are on " +
                          array.device().name());
  if (array.number == Number::float32) {
    const auto view = array.vector<const float>("weights");
    const nb::gil_scoped_release release;
    return Table(view);
  }
  const auto view = array.vector<const double>("weights");
  const nb::gil_scoped_release release;
  return Table(view);
}

template <class Table>
void draw_from_table(const Table& table, nb::handle drawn, std::uint64_t seed, std::uint64_t stream,
                     std::uint64_t first_draw, int threads) {
  const Array out(drawn, "out", true);
  out.expect({Number::int32, Number::int64}, "out", "int32 or int64");
  const RepeatedDrawOptions options = {.seed = seed, .stream = stream, .first_draw = first_draw, .threads = threads};
  const auto call = [&]<class Index>() {
    const auto results = out.vector<Index>("out");
    const nb::gil_scoped_release release;
    table.sample(results, options);
  };
  out.number == Number::int32 ? call.template operator()<std::int32_t>() : call.template operator()<std::int64_t>();
}

template <class Table>
auto bind_table(nb::module_& m, const char* name) {
  return nb::class_<Table>(m, name)
      .def_static("of", &make_table<Table>, nb::arg("weights"))
      .def("draw", &draw_from_table<Table>, nb::arg("drawn"), nb::arg("seed"), nb::arg("stream"), nb::arg("first_draw"),
           nb::arg("threads"))
      .def("categories", &Table::categories);
}

}  // namespace

void bind_tables(nb::module_& m) {
  bind_table<AliasTable>(m, "AliasTable");
  bind_table<CumulativeTable>(m, "CumulativeTable").def("find", &CumulativeTable::find, nb::arg("u"));
}

}  // namespace papilio::python
