#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "checked.h"
#include "lock.h"
#include "papilio/error.h"
#include "papilio/model.h"
#include "papilio/model_edits.h"
#include "path_name.h"
#include "seed_words.h"
#include "vectors.h"

namespace papilio::python {
namespace {

using Strings = std::vector<std::string>;
using Settings = std::map<std::string, std::string>;
using Words = std::vector<std::pair<std::string, double>>;
using Edits = std::vector<std::pair<Strings, std::string>>;  // what was done, and the hash of the model before
using State = std::tuple<ArrayLike, ArrayLike, double, Strings, Settings, ArrayLike, Strings, Edits>;
using EarlierState =
    std::tuple<ArrayLike, ArrayLike, double, Strings, Settings>;  // without seed words, labels and edits

Model make_model(const ArrayLike& counts, const ArrayLike& alpha, double beta, Strings vocabulary, Settings settings,
                 std::vector<SeedWord> seed_words = {}, Strings labels = {}, const Edits& edits = {}) {
  Model model;
  const auto n_wk = checked<std::int32_t, 2>(counts, "papilio.Model: n_wk");
  const std::size_t topics = n_wk.shape(1);
  model.topics = static_cast<std::int32_t>(topics);
  model.vocabulary = std::move(vocabulary);
  model.alpha = vector_of<double>(alpha, "papilio.Model: alpha");
  model.beta = beta;
  model.n_wk.assign(n_wk.data(), n_wk.data() + n_wk.size());
  model.n_k.resize(topics);
  for (std::size_t i = 0; i < model.n_wk.size(); ++i) model.n_k[i % topics] += model.n_wk[i];
  model.settings = std::move(settings);
  model.seed_words = std::move(seed_words);
  std::sort(model.seed_words.begin(), model.seed_words.end(), [](const SeedWord& a, const SeedWord& b) {
    return std::pair(a.word, a.topic) < std::pair(b.word, b.topic);
  });
  model.s_k.resize(model.seed_words.empty() ? 0 : topics);
  for (const SeedWord& seed : model.seed_words) {
    if (0 <= seed.topic && seed.topic < model.topics) model.s_k[static_cast<std::size_t>(seed.topic)] += seed.weight;
  }
  const bool any = std::any_of(labels.begin(), labels.end(), [](const std::string& label) { return !label.empty(); });
  if (any) model.labels = std::move(labels);
  for (const auto& [change, parent] : edits) model.edits.push_back({change, parent});
  model.verify();
  return model;
}

void require_topic(const Model& model, std::int64_t topic) {
  if (topic < 0 || topic >= model.topics) {
    throw InvalidArgument("papilio::Model: topic is " + std::to_string(topic) + ", expected 0 to " +
                          std::to_string(model.topics - 1));
  }
}

Words words_of(const Model& model, std::int64_t topic, int count, bool counted) {
  require_topic(model, topic);
  const auto k = static_cast<std::int32_t>(topic);
  Words words;
  for (const TopWord& top : counted ? counted_top_words(model, k, count) : top_words(model, k, count)) {
    words.emplace_back(model.vocabulary[static_cast<std::size_t>(top.word)], top.probability);
  }
  return words;
}

// K x V: a row per topic, as most programs have it.
OutputArray<double, 2> phi(const Model& model) {
  const auto topics = static_cast<std::size_t>(model.topics);
  const std::size_t words = model.vocabulary.size();
  std::vector<double> values(topics * words);
  {
    const Unlocked unlocked;
    for (std::size_t w = 0; w < words; ++w) {
      for (std::size_t k = 0; k < topics; ++k) {
        values[k * words + w] = model.phi(static_cast<std::int64_t>(w), static_cast<std::int32_t>(k));
      }
    }
  }
  return owned<2>(std::move(values), {topics, words});
}

OutputArray<const std::int32_t, 2> n_wk(nb::handle self) {
  const auto& model = nb::cast<const Model&>(self);
  return borrowed(model.n_wk.data(), model.vocabulary.size(), static_cast<std::size_t>(model.topics), self);
}

OutputArray<const std::int64_t> n_k(nb::handle self) {
  return borrowed(std::span<const std::int64_t>(nb::cast<const Model&>(self).n_k), self);
}

// One per topic, "" for none.
Strings labels(const Model& model) {
  Strings all = model.labels;
  all.resize(static_cast<std::size_t>(model.topics));
  return all;
}

Edits edits(const Model& model) {
  Edits all;
  for (const ModelEdit& edit : model.edits) all.emplace_back(edit.change, edit.parent);
  return all;
}

// An argument as papilio/_checked.py has checked it.
template <class T>
T checked_by(const char* check, nb::handle argument, const char* what) {
  return nb::cast<T>(nb::module_::import_("papilio._checked").attr(check)(argument, what));
}

Model label(const Model& model, nb::handle names) {
  const auto checked =
      checked_by<std::map<std::int32_t, std::string>>("topic_labels", names, "papilio.Model.label: labels");
  const Unlocked unlocked;
  return label_topics(model, checked);
}

Model merge(const Model& model, nb::handle groups) {
  const auto checked =
      checked_by<std::vector<std::vector<std::int32_t>>>("topic_groups", groups, "papilio.Model.merge: groups");
  const Unlocked unlocked;
  return merge_topics(model, checked);
}

Model drop(const Model& model, nb::handle topics) {
  const auto checked = checked_by<std::vector<std::int32_t>>("topic_numbers", topics, "papilio.Model.drop: topics");
  const Unlocked unlocked;
  return drop_topics(model, checked);
}

OutputArray<const double> alpha(nb::handle self) {
  return borrowed(std::span<const double>(nb::cast<const Model&>(self).alpha), self);
}

}  // namespace

namespace {

constexpr const char* label_doc =
    R"(Gives topics labels, in a new model.

Parameters
----------
labels : dict of int to str
    The label of each topic: at most 200 bytes of UTF-8 without control characters, not a number,
    and no other topic's. "" takes a label away.

Returns
-------
Model
    With `edits` that end with this one.

Raises
------
TypeError, ValueError
    Naming the topic or the label.

Examples
--------
>>> import numpy as np
>>> import papilio
>>> model = papilio.Model(np.array([[3, 0], [1, 2]]), np.array([0.1, 0.1]), 0.01, ["cats", "dogs"])
>>> model.label({1: "Dogs"}).labels
['', 'Dogs']
)";

constexpr const char* merge_doc =
    R"(Makes one topic of each group, in a new model.

Counts and alphas of a group are added: the tokens stay what they are, and so does the law of the
sum of the topics' shares of a document. The new topic has the lowest number of its group, and the
label of the first topic in it that has one; topics after a removed one move down.

Parameters
----------
groups : list of list of int
    Two topics or more in each, every topic at most once: ``[[3, 7], [12, 15]]``.

Returns
-------
Model
    With `edits` that end with this one.

Raises
------
TypeError, ValueError
    Naming the group or the topic.

Examples
--------
>>> import numpy as np
>>> import papilio
>>> model = papilio.Model(np.array([[3, 0], [1, 2]]), np.array([0.1, 0.1]), 0.01, ["cats", "dogs"])
>>> merged = model.merge([[0, 1]])
>>> merged.n_wk.tolist(), merged.alpha.tolist()
([[3], [3]], [0.2])
)";

constexpr const char* drop_doc =
    R"(Leaves topics out, in a new model.

Their tokens go with them; the vocabulary stays. In new documents the remaining topics, whose shares
sum to 1, explain all tokens of words that have a token left; other words are unknown. Topics after a
removed one move down.

Parameters
----------
topics : list of int
    Each once, and not all.

Returns
-------
Model
    With `edits` that end with this one.

Raises
------
TypeError, ValueError
    Naming the topic.

Examples
--------
>>> import numpy as np
>>> import papilio
>>> model = papilio.Model(np.array([[3, 0], [1, 2]]), np.array([0.1, 0.1]), 0.01, ["cats", "dogs"])
>>> model.drop([0]).n_k.tolist()
[2]
)";

constexpr const char* model_doc =
    R"(A trained topic model: how often each word was counted with each topic.

A model never changes; its arrays cannot be written. It can be pickled and shared by threads.

Parameters
----------
n_wk : array of int32, shape (V, K)
    Tokens of each word with each topic, 0 or more.
alpha : array of float64, shape (K,)
    Prior of each topic in a document; 0 < alpha <= 1e6.
beta : float
    Prior of each word in a topic; 0 < beta <= 1e6.
vocabulary : list of str, length V
    Each word once.
settings : dict of str to str, optional
    How the model was trained: sampler, seed, sweeps, ...
seed_words : array of int32, shape (n, 3), optional
    Rows of topic, word (a number in the vocabulary) and weight: the prior of that word in that topic is beta + weight.
    Weights are 1 to 1,000,000; they are not in `n_wk`.
labels : list of str, length K, optional
    What topics are called, "" for no label. Labels are distinct and no numbers.

Attributes
----------
topics, vocabulary_size : int
    K and V.
n_k : array of int64, shape (K,)
    Tokens of each topic: the column sums of n_wk.
edits : list of (list of str, str)
    What `label`, `merge` and `drop` have done since training, oldest first, as the command has it
    (``["merge", "3,7"]``), each with the hash of the model that it was done to.

Raises
------
ValueError
    Naming what does not fit.

Examples
--------
>>> import numpy as np
>>> import papilio
>>> counts = np.array([[3, 0], [1, 2]], np.int32)
>>> model = papilio.Model(counts, np.array([0.1, 0.1]), 0.01, ["cats", "dogs"])
>>> model.n_k.tolist()
[4, 2]
>>> model.top_words(0, 1)[0][0]
'cats'
)";

}  // namespace

void bind_models(nb::module_& m) {
  const nb::call_guard<Unlocked> without_lock;
  nb::class_<Model> model(m, "Model", model_doc);
  model.def(
      "__init__",
      [](Model* self, const ArrayLike& counts, const ArrayLike& priors, double beta, Strings vocabulary,
         Settings settings, const std::optional<ArrayLike>& seed_words, Strings names) {
        new (self) Model(
            make_model(counts, priors, beta, std::move(vocabulary), std::move(settings),
                       seed_words ? seed_words_of(*seed_words, "papilio.Model: seed_words") : std::vector<SeedWord>(),
                       std::move(names)));
      },
      nb::arg("n_wk"), nb::arg("alpha"), nb::arg("beta"), nb::arg("vocabulary"), nb::arg("settings") = Settings(),
      nb::arg("seed_words").none() = nb::none(), nb::arg("labels") = Strings());
  model.def("__getstate__", [](nb::handle self) {
    const auto& value = nb::cast<const Model&>(self);
    return nb::make_tuple(n_wk(self), alpha(self), value.beta, value.vocabulary, value.settings,
                          seed_rows(value.seed_words), value.labels, edits(value));
  });
  model.def("__setstate__", [](Model& self, const State& state) {
    const auto& [counts, priors, beta, vocabulary, settings, seed_words, names, history] = state;
    new (&self) Model(make_model(counts, priors, beta, vocabulary, settings,
                                 seed_words_of(seed_words, "papilio.Model: seed_words"), names, history));
  });
  model.def("__setstate__", [](Model& self, const EarlierState& state) {
    const auto& [counts, priors, beta, vocabulary, settings] = state;
    new (&self) Model(make_model(counts, priors, beta, vocabulary, settings));
  });
  model.def_prop_ro("topics", [](const Model& self) { return self.topics; });
  model.def_prop_ro("vocabulary_size", &Model::vocabulary_size);
  model.def_prop_ro("vocabulary", [](const Model& self) { return self.vocabulary; });
  model.def_prop_ro("settings", [](const Model& self) { return self.settings; });
  model.def_prop_ro("labels", &labels);
  model.def_prop_ro("edits", &edits);
  model.def_prop_ro("beta", [](const Model& self) { return self.beta; });
  model.def_prop_ro("alpha", &alpha);
  model.def_prop_ro("n_wk", &n_wk);
  model.def_prop_ro("n_k", &n_k);
  model.def_prop_ro(
      "seed_words", [](const Model& self) { return seed_rows(self.seed_words); }, nb::rv_policy::reference);
  model.def("phi", &phi,
            "The probability of each word in each topic, shape (K, V): (n_wk + beta) / (n_k + V beta), transposed. The "
            "weight of a seed word counts as that many tokens.");
  model.def(
      "top_words", &words_of, nb::arg("topic"), nb::arg("count") = 10, nb::arg("counted") = false,
      "The `count` most probable words of a topic, with their probabilities; with `counted`, only words that were "
      "counted with the topic.");
  model.def(
      "report",
      [](nb::handle self, const nb::args& arguments, const nb::kwargs& options) {
        return nb::module_::import_("papilio._report").attr("report")(self, *arguments, **options);
      },
      nb::sig("def report(self, corpus: Corpus | None = None, **options: typing_extensions.Unpack["
              "papilio._options.ReportOptions]) -> papilio._report.Report"),
      "Make a page that shows the model, and the documents of a corpus; `papilio.report` has the options.");
  model.def("label", &label, nb::arg("labels"), nb::sig("def label(self, labels: Mapping[int, str]) -> Model"),
            label_doc);
  model.def("merge", &merge, nb::arg("groups"), nb::sig("def merge(self, groups: Sequence[Sequence[int]]) -> Model"),
            merge_doc);
  model.def("drop", &drop, nb::arg("topics"), nb::sig("def drop(self, topics: Sequence[int]) -> Model"), drop_doc);
  model.def("hash", &model_hash, without_lock,
            "The XXH3-128 of the file that `save_model` writes, as ``papilio inspect`` shows it.");
  model.def("__repr__", [](const Model& self) {
    return "Model(" + std::to_string(self.topics) + " topics, " + std::to_string(self.vocabulary_size()) + " words)";
  });
  m.def(
      "save_model", [](const Model& self, const PathName& path) { save_model(self, path.bytes); }, nb::arg("model"),
      nb::arg("path"), without_lock);
  m.def(
      "load_model", [](const PathName& path) { return load_model(path.bytes); }, nb::arg("path"), without_lock);
}

}  // namespace papilio::python
