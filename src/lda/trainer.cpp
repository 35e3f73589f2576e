#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "base/check.h"
#include "lda/gibbs/chain.h"
#include "lda/options.h"
#include "lda/state.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using base::require;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void require_corpus_to_train_on(const CorpusView& corpus, const TrainOptions& options) {
  corpus.verify();
  require(corpus.tokens() > 0, "papilio::train: the corpus has no tokens ({} documents, {} words), nothing to train on",
          corpus.documents(), corpus.vocabulary_size());
  const std::int64_t most_entries = std::int64_t{1} << 40;
  require(corpus.vocabulary_size() <= most_entries / options.topics,
          "papilio::train: a table of {} words x {} topics is out of reach, expected at most 2^40 entries",
          corpus.vocabulary_size(), options.topics);
}

void require_resumable(const CorpusView& corpus, const TrainOptions& options, const Topics& topics) {
  require(0 <= topics.sweep && topics.sweep <= options.sweeps,
          "papilio::train: the topics to resume from are of sweep {}, expected 0 <= sweep <= {}", topics.sweep,
          options.sweeps);
  lda::require_topics(corpus, topics.z, options.topics, "train");
}

// The sweeps since the last report, and the time that they took, evaluation left out.
class SweepTimer {
 public:
  void sweep(lda::Chain& chain) {
    if (!running_) start_ = Clock::now();
    running_ = true;
    chain.sweep();
    ++sweeps_;
  }
  // Waits for the sweeps begun.
  void stop(lda::Chain& chain) {
    chain.wait();
    if (running_) seconds_ += seconds_since(start_);
    running_ = false;
  }
  double take_sweeps_per_second() {
    return static_cast<double>(std::exchange(sweeps_, 0)) / std::exchange(seconds_, 0.0);
  }

 private:
  Clock::time_point start_;
  bool running_ = false;
  std::int64_t sweeps_ = 0;
  double seconds_ = 0;
};

Model model_of(const CorpusView& corpus, const TrainOptions& options, lda::State& state) {
  Model model;
  model.topics = options.topics;
  model.vocabulary.assign(corpus.vocabulary.begin(), corpus.vocabulary.end());
  model.alpha.assign(static_cast<std::size_t>(options.topics), options.alpha);
  model.beta = options.beta;
  model.n_wk = std::move(state.n_wk);
  model.n_k = std::move(state.n_k);
  model.settings = {{"sampler", name(options.sampler)},
                    {"seed", std::to_string(options.seed)},
                    {"sweeps", std::to_string(state.sweep)},
                    {"documents", std::to_string(corpus.documents())},
                    {"tokens", std::to_string(corpus.tokens())}};
  return model;
}

}  // namespace

const char* name(Sampler sampler) noexcept {
  switch (sampler) {
    case Sampler::mean_for_mode:
      return "mean_for_mode";
    case Sampler::uncollapsed:
      return "uncollapsed";
    case Sampler::theta_collapsed:
      return "theta_collapsed";
    case Sampler::phi_collapsed:
      return "phi_collapsed";
    case Sampler::collapsed:
      return "collapsed";
  }
  return "unknown";
}

const char* name(Schedule schedule) noexcept { return schedule == Schedule::sequential ? "sequential" : "parallel"; }

TrainResult train(const CorpusView& corpus, const TrainOptions& options, const Topics* resume) {
  const Clock::time_point start = Clock::now();
  lda::require_options(options, "train");
  require_corpus_to_train_on(corpus, options);
  if (resume != nullptr) require_resumable(corpus, options, *resume);
  const auto tokens = static_cast<double>(corpus.tokens());
  const std::unique_ptr<lda::Chain> chain = lda::start_chain(corpus, options, resume);

  TrainResult result;
  SweepTimer timer;
  bool evaluated = false;
  while (chain->sweeps() < options.sweeps && !result.stopped) {
    timer.sweep(*chain);
    const std::int64_t sweep = chain->sweeps();
    const auto is_due = [&](std::int64_t every) {
      return sweep == options.sweeps || (every > 0 && sweep % every == 0);
    };
    evaluated = is_due(options.evaluate_every);
    if (evaluated) {
      timer.stop(*chain);
      result.log_joint_per_token = chain->log_joint() / tokens;
    }
    if (options.progress && is_due(options.progress_every)) {
      timer.stop(*chain);
      Progress progress = {.sweep = sweep, .sweeps = options.sweeps};
      progress.tokens_per_second = tokens * timer.take_sweeps_per_second();
      progress.seconds = seconds_since(start);
      progress.evaluated = evaluated;
      if (evaluated) progress.log_joint_per_token = result.log_joint_per_token;
      result.stopped = !options.progress(progress) && sweep < options.sweeps;
    }
  }
  if (!evaluated) {
    result.log_joint_per_token = chain->log_joint() / tokens;
  }
  lda::State state = chain->take_state();
  result.model = model_of(corpus, options, state);
  result.topics.sweep = state.sweep;
  result.topics.z = std::move(state.z);
  return result;
}

namespace lda {

void require_options(const TrainOptions& options, const char* caller) {
  // theta and phi are floats: priors must not leave their range.
  const auto is_prior = [](double value) { return std::isfinite(value) && value > 0 && value <= 1e6; };
  const std::int64_t most_sweeps = std::numeric_limits<std::uint32_t>::max();  // sweeps key draws as 32 bits
  require(options.topics >= 1, "papilio::{}: topics is {}, expected at least 1", caller, options.topics);
  require(0 <= options.sweeps && options.sweeps <= most_sweeps, "papilio::{}: sweeps is {}, expected 0 <= sweeps <= {}",
          caller, options.sweeps, most_sweeps);
  require(is_prior(options.alpha), "papilio::{}: alpha is {}, expected 0 < alpha <= 1e6", caller, options.alpha);
  require(is_prior(options.beta), "papilio::{}: beta is {}, expected 0 < beta <= 1e6", caller, options.beta);
  require(options.threads >= 0, "papilio::{}: threads is {}, expected 0 (all) or more", caller, options.threads);
  require(options.evaluate_every >= 0, "papilio::{}: evaluate_every is {}, expected 0 or more", caller,
          options.evaluate_every);
  require(options.progress_every >= 1, "papilio::{}: progress_every is {}, expected at least 1", caller,
          options.progress_every);
  require(options.sampler == Sampler::mean_for_mode, "papilio::{}: unknown sampler {}", caller,
          static_cast<int>(options.sampler));
}

}  // namespace lda

}  // namespace papilio
