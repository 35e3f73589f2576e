#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "papilio/error.h"
#include "papilio/model.h"
#include "vectors.h"

namespace papilio::python {
namespace {

using Strings = std::vector<std::string>;
using Settings = std::map<std::string, std::string>;
using Counts = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Words = std::vector<std::pair<std::string, double>>;
using State = std::tuple<Counts, InputVector<double>, double, Strings, Settings>;

Model make_model(const Counts& n_wk, const InputVector<double>& alpha, double beta, Strings vocabulary,
                 Settings settings) {
  Model model;
  const std::size_t topics = n_wk.shape(1);
  model.topics = static_cast<std::int32_t>(topics);
  model.vocabulary = std::move(vocabulary);
  model.alpha = as_vector(alpha);
  model.beta = beta;
  model.n_wk.assign(n_wk.data(), n_wk.data() + n_wk.size());
  model.n_k.resize(topics);
  for (std::size_t i = 0; i < model.n_wk.size(); ++i) model.n_k[i % topics] += model.n_wk[i];
  model.settings = std::move(settings);
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
    const nb::gil_scoped_release release;
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

OutputArray<const double> alpha(nb::handle self) {
  return borrowed(std::span<const double>(nb::cast<const Model&>(self).alpha), self);
}

}  // namespace

namespace {

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

Attributes
----------
topics, vocabulary_size : int
    K and V.
n_k : array of int64, shape (K,)
    Tokens of each topic: the column sums of n_wk.

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
  const nb::call_guard<nb::gil_scoped_release> without_lock;
  nb::class_<Model> model(m, "Model", model_doc);
  model.def(
      "__init__",
      [](Model* self, const Counts& counts, const InputVector<double>& priors, double beta, Strings vocabulary,
         Settings settings) {
        new (self) Model(make_model(counts, priors, beta, std::move(vocabulary), std::move(settings)));
      },
      nb::arg("n_wk"), nb::arg("alpha"), nb::arg("beta"), nb::arg("vocabulary"), nb::arg("settings") = Settings());
  model.def("__getstate__", [](nb::handle self) {
    const auto& value = nb::cast<const Model&>(self);
    return nb::make_tuple(n_wk(self), alpha(self), value.beta, value.vocabulary, value.settings);
  });
  model.def("__setstate__", [](Model& self, const State& state) {
    const auto& [counts, priors, beta, vocabulary, settings] = state;
    new (&self) Model(make_model(counts, priors, beta, vocabulary, settings));
  });
  model.def_prop_ro("topics", [](const Model& self) { return self.topics; });
  model.def_prop_ro("vocabulary_size", &Model::vocabulary_size);
  model.def_prop_ro("vocabulary", [](const Model& self) { return self.vocabulary; });
  model.def_prop_ro("settings", [](const Model& self) { return self.settings; });
  model.def_prop_ro("beta", [](const Model& self) { return self.beta; });
  model.def_prop_ro("alpha", &alpha);
  model.def_prop_ro("n_wk", &n_wk);
  model.def_prop_ro("n_k", &n_k);
  model.def("phi", &phi,
            "The probability of each word in each topic, shape (K, V): (n_wk + beta) / (n_k + V beta), transposed.");
  model.def(
      "top_words", &words_of, nb::arg("topic"), nb::arg("count") = 10, nb::arg("counted") = false,
      "The `count` most probable words of a topic, with their probabilities; with `counted`, only words that were "
      "counted with the topic.");
  model.def("__repr__", [](const Model& self) {
    return "Model(" + std::to_string(self.topics) + " topics, " + std::to_string(self.vocabulary_size()) + " words)";
  });
  m.def("save_model", &save_model, nb::arg("model"), nb::arg("path"), without_lock);
  m.def("load_model", &load_model, nb::arg("path"), without_lock);
}

}  // namespace papilio::python
