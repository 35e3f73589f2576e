#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "answer.h"
#include "bindings.h"
#include "checked.h"
#include "corpus_object.h"
#include "lock.h"
#include "papilio/distributed.h"
#include "papilio/error.h"
#include "papilio/lda.h"
#include "papilio/mallet.h"
#include "papilio/seed_words.h"
#include "path_name.h"
#include "ranks.h"
#include "seed_words.h"
#include "vectors.h"

namespace papilio::python {
namespace {

ChainState make_state(const ArrayLike& z, std::int64_t sweep, const ArrayLike& alpha, double beta,
                      const std::string& start) {
  return {.sweep = sweep,
          .z = vector_of<std::int32_t>(z, "papilio.ChainState: z"),
          .alpha = vector_of<double>(alpha, "papilio.ChainState: alpha"),
          .beta = beta,
          .start = parse_start(start)};
}

// Reports sweeps to Python. An exception of Python, Ctrl-C included, stops training after the sweep and stays in
// `error`.
struct Watch {
  nb::object callback;
  std::optional<nb::python_error> error;

  bool operator()(const Progress& progress) {
    const Locked locked;
    if (error) return false;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return callback.is_none() || !is_false(callback(progress));
    } catch (nb::python_error& raised) {
      error.emplace(std::move(raised));
      return false;
    }
  }
};

// A checkpoint that cannot be written is no reason to lose the run. Where warnings are errors, training ends as it does
// with an exception of the callback.
void warn(Watch& watch, const IoError& failure) {
  const nb::gil_scoped_acquire lock;
  if (watch.error) return;
  const std::string text = std::string(failure.what()) + "; training goes on without this checkpoint";
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 2) != 0) watch.error.emplace();
}

struct Checkpoints {
  std::string path;
  std::int64_t every = 0;
  double seconds = 0;
};

TrainResult train_quietly(const CorpusView& corpus, TrainOptions options, const ChainState* resume, Watch& watch,
                          const Checkpoints& checkpoints) {
  const Unlocked unlocked;
  std::optional<CheckpointWriter> writer;
  options.progress = [&watch](const Progress& progress) { return watch(progress); };
  if (!checkpoints.path.empty()) {
    options.checkpoint_every = checkpoints.every;
    options.checkpoint_seconds = checkpoints.seconds;
    const auto failed = [&watch](const IoError& failure) { warn(watch, failure); };
    writer.emplace(corpus, options, checkpoints.path, CheckpointWriterOptions{.failed = failed});
    options.checkpoint_writer = &*writer;
  }
  return train(corpus, options, resume);
}

// An exception that ends training carries the result as `train_result`.
TrainResult train_from_python(const CorpusObject& corpus, const TrainOptions& options, const ChainState* resume,
                              nb::object progress, const Checkpoints& checkpoints) {
  Watch watch = {std::move(progress), {}};
  TrainResult result = train_quietly(corpus.view(options.ranks), options, resume, watch, checkpoints);
  if (watch.error) {
    nb::setattr(watch.error->value(), "train_result", nb::cast(std::move(result)));
    throw nb::python_error(std::move(*watch.error));
  }
  return result;
}

constexpr const char* progress_doc =
    R"(What training reports after a sweep.

Attributes
----------
sweep, sweeps : int
    Sweeps done, and sweeps in all.
share : float
    The share of all tokens that the sweep drew: less than 1 in the first sweeps of a progressive start.
draws : {"dense", "sparse", "alias"}
    How the sweep drew.
tokens_per_second : float
    In the sweeps since the last report.
seconds : float
    Since training began.
training_seconds : float
    The same without the time of likelihoods, held-out documents and callbacks.
log_joint_per_token : float or None
    log p(w, z) / N in nats, if it was computed after this sweep.
held_out_perplexity : float or None
    If the held-out documents were scored after this sweep.
)";

void bind_options(nb::module_& m) {
  nb::class_<TrainOptions>(m, "TrainOptions")
      .def(nb::init<>())
      .def_rw("topics", &TrainOptions::topics)
      .def_rw("sweeps", &TrainOptions::sweeps)
      .def_rw("alpha", &TrainOptions::alpha)
      .def_rw("beta", &TrainOptions::beta)
      .def_rw("seed", &TrainOptions::seed)
      .def_rw("threads", &TrainOptions::threads)
      .def_rw("evaluate_every", &TrainOptions::evaluate_every)
      .def_rw("topic_alpha", &TrainOptions::topic_alpha)
      .def_rw("mh_steps", &TrainOptions::mh_steps)
      .def_rw("optimize_every", &TrainOptions::optimize_every)
      .def_rw("optimize_after", &TrainOptions::optimize_after)
      .def_rw("progress_every", &TrainOptions::progress_every)
      .def_rw("held_out_every", &TrainOptions::held_out_every)
      .def_rw("max_device_memory", &TrainOptions::max_device_memory)
      .def_prop_rw(
          "seed_words", [](const TrainOptions& self) { return seed_rows(self.seed_words); },
          [](TrainOptions& self, const ArrayLike& rows) {
            self.seed_words = seed_words_of(rows, "papilio.TrainOptions: seed_words");
          },
          nb::rv_policy::reference)
      .def_prop_rw(
          "method", [](const TrainOptions& self) { return name(self.method); },
          [](TrainOptions& self, const std::string& method) { self.method = parse_partial_sums(method); })
      .def_prop_rw(
          "device", [](const TrainOptions& self) { return self.device.name(); },
          [](TrainOptions& self, const std::string& device) {
            const std::vector<Device> all = parse_devices(device);
            self.device = all.front();
            self.devices = all.size() > 1 ? all : std::vector<Device>();
          })
      .def_prop_rw(
          "sampler", [](const TrainOptions& self) { return name(self.sampler); },
          [](TrainOptions& self, const std::string& sampler) { self.sampler = parse_sampler(sampler); })
      .def_prop_rw(
          "schedule", [](const TrainOptions& self) { return name(self.schedule); },
          [](TrainOptions& self, const std::string& schedule) { self.schedule = parse_schedule(schedule); })
      .def_prop_rw(
          "start", [](const TrainOptions& self) { return name(self.start); },
          [](TrainOptions& self, const std::string& start) { self.start = parse_start(start); })
      .def_prop_rw(
          "draws", [](const TrainOptions& self) { return name(self.draws); },
          [](TrainOptions& self, const std::string& draws) { self.draws = parse_draws(draws); });
  nb::class_<Progress>(m, "Progress", progress_doc)
      .def_ro("sweep", &Progress::sweep)
      .def_ro("sweeps", &Progress::sweeps)
      .def_ro("share", &Progress::share)
      .def_ro("tokens_per_second", &Progress::tokens_per_second)
      .def_ro("seconds", &Progress::seconds)
      .def_prop_ro("draws",
                   [](const Progress& self) {
                     return self.draws.sparse ? "sparse" : self.draws.alias ? "alias" : "dense";
                   })
      .def_prop_ro("log_joint_per_token",
                   [](const Progress& self) {
                     return self.evaluated ? std::optional<double>(self.log_joint_per_token) : std::nullopt;
                   })
      .def_ro("training_seconds", &Progress::training_seconds)
      .def_prop_ro("held_out_perplexity", [](const Progress& self) {
        return self.held_out_evaluated ? std::optional<double>(self.held_out_perplexity) : std::nullopt;
      });
}

constexpr const char* state_doc =
    R"(The state of a chain. With the corpus and the options of training it determines all further sweeps.

A state never changes; its arrays cannot be written. It can be pickled and shared by threads.

Parameters
----------
z : array of int32, shape (N,)
    The topic of each token, in the order of the corpus.
sweep : int
    Sweeps done.
alpha : array of float64, shape (K,) or (0,)
    The prior of each topic, if priors were optimised; empty: as in the options.
beta : float
    The prior of words, if priors were optimised; 0: as in the options.
start : {"uniform", "progressive"}
    How the chain started; the first 40 sweeps of a progressive start depend on it.

Examples
--------
>>> import numpy as np
>>> import papilio
>>> corpus = papilio.corpus_from_tokens([["cats", "purr"], ["dogs"]])
>>> state = papilio.ChainState(np.array([0, 0, 1], np.int32), sweep=0, alpha=np.empty(0), beta=0)
>>> papilio.train(corpus, topics=2, sweeps=3, resume=state).topics.sweep
3
)";

constexpr const char* score_doc =
    R"(How well the chain predicted the held-out documents after a sweep.

Attributes
----------
sweep : int
training_seconds : float
    Seconds of training until then, as in `Progress`.
completion : Completion
    As `complete_documents` gives it.
)";

constexpr const char* result_doc =
    R"(A trained model, and the chain that it comes from.

Attributes
----------
model : Model
topics : ChainState
    The state of the chain after the last sweep.
log_joint_per_token : float
    log p(w, z) / N after the last sweep, in nats.
stopped : bool
    Whether `progress` stopped training before the last sweep.
held_out : list of HeldOutScore
    In the order of sweeps; empty without held-out documents.
)";

void bind_results(nb::module_& m) {
  nb::class_<ChainState> state(m, "ChainState", state_doc);
  state.def(
      "__init__",
      [](ChainState* self, const ArrayLike& z, std::int64_t sweep, const ArrayLike& alpha, double beta,
         const std::string& start) { new (self) ChainState(make_state(z, sweep, alpha, beta, start)); },
      nb::arg("z"), nb::arg("sweep"), nb::arg("alpha"), nb::arg("beta"), nb::arg("start") = "uniform");
  state.def("__getstate__", [](nb::handle self) {
    const auto& value = nb::cast<const ChainState&>(self);
    return nb::make_tuple(borrowed(std::span<const std::int32_t>(value.z), self), value.sweep,
                          borrowed(std::span<const double>(value.alpha), self), value.beta, name(value.start));
  });
  state.def("__setstate__",
            [](ChainState& self, const std::tuple<ArrayLike, std::int64_t, ArrayLike, double, std::string>& kept) {
              const auto& [z, sweep, alpha, beta, start] = kept;
              new (&self) ChainState(make_state(z, sweep, alpha, beta, start));
            });
  state.def_prop_ro("z", [](nb::handle self) {
    return borrowed(std::span<const std::int32_t>(nb::cast<const ChainState&>(self).z), self);
  });
  state.def_prop_ro("alpha", [](nb::handle self) {
    return borrowed(std::span<const double>(nb::cast<const ChainState&>(self).alpha), self);
  });
  state.def_ro("sweep", &ChainState::sweep);
  state.def_ro("beta", &ChainState::beta);
  state.def_prop_ro("start", [](const ChainState& self) { return name(self.start); });
  nb::class_<HeldOutScore>(m, "HeldOutScore", score_doc)
      .def_ro("sweep", &HeldOutScore::sweep)
      .def_ro("training_seconds", &HeldOutScore::training_seconds)
      .def_ro("completion", &HeldOutScore::completion);
  nb::class_<TrainResult>(m, "TrainResult", result_doc)
      .def_ro("model", &TrainResult::model)
      .def_ro("topics", &TrainResult::topics)
      .def_ro("log_joint_per_token", &TrainResult::log_joint_per_token)
      .def_ro("stopped", &TrainResult::stopped)
      .def_ro("held_out", &TrainResult::held_out);
}

void bind_checkpoints(nb::module_& m) {
  const nb::call_guard<Unlocked> without_lock;
  m.def(
      "save_checkpoint",
      [](const ChainState& state, const CorpusObject& corpus, const TrainOptions& options, const PathName& path,
         PythonRanks* ranks) {
        TrainOptions all = options;
        all.ranks = ranks;
        all.corpus_identity = corpus.identity(ranks);
        save_checkpoint(state, corpus.view(ranks), all, path.bytes);
      },
      nb::arg("state"), nb::arg("corpus"), nb::arg("options"), nb::arg("path"), nb::arg("ranks").none() = nb::none(),
      without_lock);
  m.def(
      "load_checkpoint",
      [](const CorpusObject& corpus, const TrainOptions& options, const PathName& path, PythonRanks* ranks) {
        CheckpointReport report;
        ChainState state;
        TrainOptions all = options;
        all.ranks = ranks;
        all.corpus_identity = corpus.identity(ranks);
        {
          const Unlocked unlocked;
          state = load_checkpoint(corpus.view(ranks), all, path.bytes, &report);
        }
        return std::make_pair(std::move(state), text_of(report.damage));
      },
      nb::arg("corpus"), nb::arg("options"), nb::arg("path"), nb::arg("ranks").none() = nb::none());
}

void bind_mallet(nb::module_& m) {
  const nb::call_guard<Unlocked> without_lock;
  nb::class_<MalletState>(m, "MalletState")
      .def_prop_ro("corpus", [](const MalletState& self) { return CorpusObject(self.corpus); })
      .def_ro("topics", &MalletState::topics)
      .def_ro("topic_count", &MalletState::topic_count);
  m.def(
      "read_mallet_state",
      [](const PathName& path, std::int64_t max_memory) { return read_mallet_state(path.bytes, max_memory); },
      nb::arg("path"), nb::arg("max_memory"), without_lock);
  m.def(
      "match_topics",
      [](const MalletState& state, const CorpusObject& corpus) { return match_topics(state, corpus.view()); },
      nb::arg("state"), nb::arg("corpus"), without_lock);
  m.def(
      "write_mallet_state",
      [](const CorpusObject& corpus, const ArrayLike& z, const ArrayLike& alpha, double beta, const PathName& path) {
        const auto topics = vector_of<std::int32_t>(z, "papilio.write_mallet_state: z");
        const auto priors = vector_of<double>(alpha, "papilio.write_mallet_state: alpha");
        const Unlocked unlocked;
        write_mallet_state(corpus.view(), topics, priors, beta, path.bytes);
      },
      nb::arg("corpus"), nb::arg("z"), nb::arg("alpha"), nb::arg("beta"), nb::arg("path"));
}

}  // namespace

void bind_training(nb::module_& m) {
  m.def("default_seed_weight", [] { return default_seed_weight; });
  m.def("largest_seed_weight", [] { return largest_seed_weight; });
  bind_options(m);
  bind_results(m);
  m.def(
      "train",
      [](const CorpusObject& corpus, const TrainOptions& options, const ChainState* resume, nb::object progress,
         const PathName& checkpoint, std::int64_t checkpoint_every, double checkpoint_seconds,
         const CorpusObject* held_out, PythonRanks* ranks) {
        TrainOptions all = options;
        all.ranks = ranks;
        all.corpus_identity = corpus.identity(ranks);
        if (held_out != nullptr) {
          all.held_out = held_out->view(ranks);
          all.held_out_identity = held_out->identity(ranks);
        }
        return train_from_python(corpus, all, resume, std::move(progress),
                                 {checkpoint.bytes, checkpoint_every, checkpoint_seconds});
      },
      nb::arg("corpus"), nb::arg("options"), nb::arg("resume").none(), nb::arg("progress").none(),
      nb::arg("checkpoint"), nb::arg("checkpoint_every"), nb::arg("checkpoint_seconds"),
      nb::arg("held_out").none() = nb::none(), nb::arg("ranks").none() = nb::none());
  m.def(
      "log_joint",
      [](const CorpusObject& corpus, const ArrayLike& z, const ArrayLike& alpha, double beta, int threads,
         const ArrayLike& seed_words) {
        const auto seeds = seed_words_of(seed_words, "papilio.log_joint: seed_words");
        const auto topics = vector_of<std::int32_t>(z, "papilio.log_joint: z");
        const auto priors = vector_of<double>(alpha, "papilio.log_joint: alpha");
        const Unlocked unlocked;
        return log_joint(corpus.view(), topics, priors, beta, threads, seeds);
      },
      nb::arg("corpus"), nb::arg("z"), nb::arg("topic_alpha"), nb::arg("beta"), nb::arg("threads"),
      nb::arg("seed_words"));
  bind_checkpoints(m);
  bind_mallet(m);
}

}  // namespace papilio::python
