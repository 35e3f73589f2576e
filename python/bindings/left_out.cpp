#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bindings.h"
#include "papilio/left_out.h"
#include "papilio/word_rules.h"

namespace nb = nanobind;

namespace papilio::python {
namespace {

constexpr const char* left_out_words_doc =
    R"(Words of the input that are not in a corpus, or not in a model, for one reason.

Attributes
----------
tokens : int
    How often they occur.
words : int
    How many distinct ones there are.
has_more_words : bool
    Whether there are more distinct words than were counted. Of words too short, numbers and words outside of the
    pattern, 16,384 are counted, of at most 64 bytes each, besides those of one or two ASCII characters.
examples : list of str
    The three most frequent of the words counted; of equals the first by bytes.
)";

}  // namespace

LeftOutByReason left_out_by_reason(const LeftOut& left_out) {
  nb::dict reasons;
  for (const auto& row : left_out_reasons()) {
    const LeftOutWords& words = left_out[row.value];
    if (words.tokens > 0 || words.words > 0) reasons[nb::str(row.name.data(), row.name.size())] = nb::cast(words);
  }
  return reasons;
}

void bind_left_out(nb::module_& m) {
  nb::class_<LeftOutWords>(m, "LeftOutWords", left_out_words_doc)
      .def_ro("tokens", &LeftOutWords::tokens)
      .def_ro("words", &LeftOutWords::words)
      .def_ro("has_more_words", &LeftOutWords::has_more_words)
      .def_ro("examples", &LeftOutWords::examples);
  m.def("icu_version", [] { return std::string(icu_version()); });
}

}  // namespace papilio::python
