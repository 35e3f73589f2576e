#include "papilio/phrases.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "corpus_object.h"
#include "lock.h"

namespace papilio::python {

namespace nb = nanobind;

void bind_phrases(nb::module_& m) {
  nb::class_<PhraseOptions>(m, "PhraseOptions")
      .def(nb::init<>())
      .def_rw("find", &PhraseOptions::find)
      .def_rw("phrases", &PhraseOptions::list)
      .def_rw("threshold", &PhraseOptions::threshold)
      .def_rw("min_count", &PhraseOptions::min_count)
      .def_rw("length", &PhraseOptions::length)
      .def_rw("delimiter", &PhraseOptions::delimiter);
}

void bind_phrase_functions(nb::module_& m) {
  m.def(
      "find_phrases",
      [](const CorpusObject& corpus, const PhraseOptions& options) {
        const Unlocked unlocked;
        std::vector<std::tuple<std::string, std::int64_t, double>> rows;
        for (Phrase& phrase : find_phrases(corpus.view(), options)) {
          rows.emplace_back(std::move(phrase.words), phrase.count, phrase.npmi);
        }
        return rows;
      },
      nb::arg("corpus"), nb::arg("options"));
  m.def(
      "join_phrases",
      [](const CorpusObject& corpus, const std::vector<std::string>& phrases, const std::string& delimiter) {
        const Unlocked unlocked;
        return CorpusObject(join_phrases(corpus.view(), phrases, delimiter));
      },
      nb::arg("corpus"), nb::arg("phrases"), nb::arg("delimiter"));
  m.def(
      "phrases_in_vocabulary",
      [](const std::vector<std::string>& vocabulary, const std::string& delimiter) {
        return phrases_in_vocabulary(vocabulary, delimiter);
      },
      nb::arg("vocabulary"), nb::arg("delimiter"));
}

}  // namespace papilio::python
