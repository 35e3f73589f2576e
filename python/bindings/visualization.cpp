#include "papilio/visualization.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

#include "bindings.h"
#include "corpus_object.h"

namespace nb = nanobind;

namespace papilio::python {
namespace {

// Topics weigh what the documents of the corpus hold of them; without one, what the model has counted.
std::string ldavis_json(const Model& model, const CorpusObject* corpus, int terms, double lambda_step, bool sort_topics,
                        std::uint64_t seed, int threads) {
  const LdavisOptions options = {
      .terms = terms, .lambda_step = lambda_step, .sort_topics = sort_topics, .threads = threads};
  if (corpus == nullptr) return prepare_ldavis(model, options).to_json();
  return prepare_ldavis(model, expected_topic_tokens(model, corpus->view(), seed, threads), options).to_json();
}

}  // namespace

void bind_visualization(nb::module_& m) {
  m.def("ldavis_json", &ldavis_json, nb::arg("model"), nb::arg("corpus").none(), nb::arg("terms"),
        nb::arg("lambda_step"), nb::arg("sort_topics"), nb::arg("seed"), nb::arg("threads"),
        nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace papilio::python
