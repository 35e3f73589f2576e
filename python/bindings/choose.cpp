#include "papilio/choose.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "answer.h"
#include "bindings.h"
#include "corpus_object.h"
#include "interruptible.h"
#include "lock.h"
#include "papilio/error.h"
#include "path_name.h"
#include "ranks.h"
#include "vectors.h"

namespace papilio::python {
namespace {

constexpr const char* stability_doc =
    R"(How much of a model's topics another model has too.

Attributes
----------
mean : float
    Of `similarity`.
similarity : array of float64, shape (K,)
    Of each topic of the first model and its partner in the second: the Jaccard index of their top words.
partner : array of int32, shape (K,)
    The partner's number.
)";

constexpr const char* progress_doc =
    R"(What `choose_topics` reports after a sweep.

Attributes
----------
topics, seed : int
    Of the model that is being trained.
model, models : int
    Its number, from 1, and how many are to be trained.
training : Progress
    As `train` reports it.
)";

// What Python hears of a call: its callback, and what that or a warning has raised.
struct Listener {
  nb::object callback;
  std::optional<nb::python_error> error;

  bool operator()(const ChooseProgress& progress) {
    if (callback.is_none()) return true;
    const Locked locked;
    if (error) return false;
    try {
      return !is_false(callback(progress));
    } catch (nb::python_error& raised) {
      error.emplace(std::move(raised));
      return false;
    }
  }

  // A file that cannot be written is no reason to lose the models.
  void warn(const IoError& failure) {
    const Locked locked;
    if (error) return;
    const std::string text = std::string(failure.what()) + "; what was measured since the last time is not in the file";
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 2) != 0) error.emplace();
  }
};

// A file is read and written by rank 0 alone.
ChooseResult choose(const CorpusView& corpus, ChooseOptions options, std::string state, Listener& listener,
                    PythonRanks* ranks) {
  if (ranks != nullptr && ranks->rank() != 0) state.clear();
  std::vector<ChooseRun> runs;
  std::error_code unknown;
  if (!state.empty() && std::filesystem::exists(state, unknown)) runs = load_choose_runs(corpus, options, state);
  std::vector<ChooseRun> kept = runs;
  options.progress = [&](const ChooseProgress& progress) { return !listener.error && listener(progress); };
  options.done = [&](const ChooseRun& run) {
    if (state.empty()) return;
    kept.push_back(run);
    try {
      save_choose_runs(kept, corpus, options, state);
    } catch (const IoError& failure) {
      listener.warn(failure);
    }
  };
  return ranks == nullptr ? choose_topics(corpus, options, std::move(runs))
                          : choose_topics(corpus, options, runs, *ranks);
}

ChooseResult choose_from_python(const CorpusObject& corpus, const TrainOptions& training,
                                std::vector<std::int32_t> topics, int seeds, std::optional<double> alpha_sum,
                                std::int64_t held_out_every, const std::string& measure, int coherence_words,
                                int window, int top_words, const PathName& state, nb::object progress,
                                PythonRanks* ranks) {
  ChooseOptions options = {
      .topics = std::move(topics),
      .seeds = seeds,
      .training = training,
      .alpha_sum = alpha_sum,
      .held_out_every = held_out_every,
      .coherence = {.measure = parse_coherence_measure(measure), .top_words = coherence_words, .window = window},
      .top_words = top_words};
  Listener listener = {std::move(progress), {}};
  ChooseResult result = interruptible([&] {
    const CorpusView whole = corpus.view("the whole corpus, on which each rank trains: read it without ranks");
    return choose(whole, options, state.bytes, listener, ranks);
  });
  if (listener.error) throw nb::python_error(std::move(*listener.error));
  return result;
}

template <Spread ChooseRow::*measure>
std::pair<double, double> range(const ChooseRow& row) {
  return {(row.*measure).least, (row.*measure).most};
}

void bind_results(nb::module_& m) {
  nb::class_<ChooseProgress>(m, "ChooseProgress", progress_doc)
      .def_ro("topics", &ChooseProgress::topics)
      .def_ro("seed", &ChooseProgress::seed)
      .def_ro("model", &ChooseProgress::model)
      .def_ro("models", &ChooseProgress::models)
      .def_ro("training", &ChooseProgress::training);
  nb::class_<ChooseRun>(m, "ChooseRun")
      .def_ro("topics", &ChooseRun::topics)
      .def_ro("seed", &ChooseRun::seed)
      .def_ro("perplexity", &ChooseRun::perplexity)
      .def_ro("coherence", &ChooseRun::coherence)
      .def_ro("diversity", &ChooseRun::diversity)
      .def_ro("seconds", &ChooseRun::seconds);
  nb::class_<ChooseRow>(m, "ChooseRow")
      .def_ro("topics", &ChooseRow::topics)
      .def_ro("seeds", &ChooseRow::seeds)
      .def_prop_ro("perplexity", [](const ChooseRow& self) { return self.perplexity.mean; })
      .def_prop_ro("perplexity_range", &range<&ChooseRow::perplexity>)
      .def_prop_ro("coherence", [](const ChooseRow& self) { return self.coherence.mean; })
      .def_prop_ro("coherence_range", &range<&ChooseRow::coherence>)
      .def_prop_ro("diversity", [](const ChooseRow& self) { return self.diversity.mean; })
      .def_prop_ro("diversity_range", &range<&ChooseRow::diversity>)
      .def_ro("stability", &ChooseRow::stability)
      .def_ro("seconds", &ChooseRow::seconds);
  nb::class_<ChooseResult>(m, "ChooseResult")
      .def_ro("rows", &ChooseResult::rows)
      .def_ro("runs", &ChooseResult::runs)
      .def_ro("stopped", &ChooseResult::stopped)
      .def_ro("documents", &ChooseResult::documents)
      .def_ro("held_out_documents", &ChooseResult::held_out_documents)
      .def_prop_ro("measure", [](const ChooseResult& self) { return name(self.measure); })
      .def_ro("settings", &ChooseResult::settings)
      .def("summary", &choose_summary)
      .def(
          "page",
          [](const ChooseResult& self, const std::string& title, bool times) {
            return choose_page(self, {.title = title, .times = times});
          },
          nb::arg("title"), nb::arg("times"));
}

}  // namespace

void bind_choose(nb::module_& m) {
  nb::class_<TopicStability>(m, "TopicStability", stability_doc)
      .def_ro("mean", &TopicStability::mean)
      .def_prop_ro(
          "similarity", [](const TopicStability& self) { return owned(self.similarity); }, nb::rv_policy::reference)
      .def_prop_ro(
          "partner", [](const TopicStability& self) { return owned(self.partner); }, nb::rv_policy::reference);
  m.def(
      "topic_stability",
      [](const Model& first, const Model& second, int top_words) {
        return interruptible([&] { return topic_stability(first, second, top_words); });
      },
      nb::arg("first"), nb::arg("second"), nb::arg("top_words"));
  bind_results(m);
  m.def("choose_topics", &choose_from_python, nb::arg("corpus"), nb::arg("training"), nb::arg("topics"),
        nb::arg("seeds"), nb::arg("alpha_sum").none(), nb::arg("held_out_every"), nb::arg("measure"),
        nb::arg("coherence_words"), nb::arg("window"), nb::arg("top_words"), nb::arg("state"),
        nb::arg("progress").none(), nb::arg("ranks").none() = nb::none());
}

}  // namespace papilio::python
