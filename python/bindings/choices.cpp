#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bindings.h"
#include "papilio/corpus_formats.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"
#include "papilio/primitives.h"
#include "papilio/sampling.h"

// The names that options can have, from the library's tables.

namespace nb = nanobind;

namespace papilio::python {
namespace {

template <class Rows>
void bind_names(nb::module_& m, const char* function, const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  m.def(function, [names] { return names; });
}

}  // namespace

void bind_choices(nb::module_& m) {
  bind_names(m, "samplers", samplers());
  bind_names(m, "schedules", schedules());
  bind_names(m, "starts", starts());
  bind_names(m, "draw_kinds", draw_kinds());
  bind_names(m, "partial_sums", partial_sums());
  bind_names(m, "reduce_ops", reduce_ops());
  bind_names(m, "infer_methods", infer_methods());
  bind_names(m, "coherence_measures", coherence_measures());
  bind_names(m, "corpus_formats", corpus_formats());
  bind_names(m, "word_rules", word_rules());
}

}  // namespace papilio::python
