#include "papilio/visualization.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "corpus_object.h"
#include "interruptible.h"
#include "lock.h"
#include "papilio/report.h"
#include "path_name.h"

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

// Texts by a function of a list of numbers of documents; none for None. The function must outlive them.
std::function<std::vector<std::string>(std::span<const std::int64_t>)> texts_by(const nb::object& function) {
  if (function.is_none()) return nullptr;
  return [&function](std::span<const std::int64_t> numbers) {
    const Locked locked;
    nb::list wanted;
    for (const std::int64_t number : numbers) wanted.append(number);
    return nb::cast<DocumentNames>(function(wanted)).values;
  };
}

// What the page shows of documents: `texts` is as for texts_by.
std::string report(const Model& model, const CorpusObject* corpus, const nb::object& texts, const DocumentNames& groups,
                   const std::string& group_name, const std::string& title, int words, int documents, int excerpt,
                   std::uint64_t seed, int threads, const std::vector<std::pair<std::string, std::string>>& facts,
                   const std::string& command, const std::vector<std::pair<std::int64_t, double>>& likelihood) {
  const ReportOptions options = {
      .title = title, .words = words, .documents = documents, .excerpt = excerpt, .seed = seed, .threads = threads};
  const ReportOrigin origin = {.facts = facts, .command = command, .likelihood = likelihood};
  if (corpus == nullptr) return interruptible([&] { return report_page(model, options, nullptr, origin); });
  const ReportDocuments shown = {
      .corpus = corpus->view(), .texts = texts_by(texts), .groups = groups.values, .group_name = group_name};
  return interruptible([&] { return report_page(model, options, &shown, origin); });
}

// For each topic: the numbers of documents, their shares of it, and how they begin.
std::vector<std::vector<std::tuple<std::int64_t, float, std::string>>> typical(const Model& model,
                                                                               const CorpusObject& corpus,
                                                                               const nb::object& texts, int documents,
                                                                               int excerpt, std::uint64_t seed,
                                                                               int threads) {
  const ReportOptions options = {.documents = documents, .excerpt = excerpt, .seed = seed, .threads = threads};
  const ReportDocuments shown = {.corpus = corpus.view(), .texts = texts_by(texts)};
  const auto found = interruptible([&] { return typical_documents(model, shown, options); });
  std::vector<std::vector<std::tuple<std::int64_t, float, std::string>>> rows(found.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (const TypicalDocument& one : found[k]) rows[k].emplace_back(one.document, one.share, one.text);
  }
  return rows;
}

}  // namespace

void bind_visualization(nb::module_& m) {
  m.def("ldavis_json", &ldavis_json, nb::arg("model"), nb::arg("corpus").none(), nb::arg("terms"),
        nb::arg("lambda_step"), nb::arg("sort_topics"), nb::arg("seed"), nb::arg("threads"),
        nb::call_guard<Unlocked>());
  m.def("report_page", &report, nb::arg("model"), nb::arg("corpus").none(), nb::arg("texts").none(), nb::arg("groups"),
        nb::arg("group_name"), nb::arg("title"), nb::arg("words"), nb::arg("documents"), nb::arg("excerpt"),
        nb::arg("seed"), nb::arg("threads"), nb::arg("facts"), nb::arg("command"), nb::arg("likelihood"));
  m.def("typical_documents", &typical, nb::arg("model"), nb::arg("corpus"), nb::arg("texts").none(),
        nb::arg("documents"), nb::arg("excerpt"), nb::arg("seed"), nb::arg("threads"));
}

}  // namespace papilio::python
