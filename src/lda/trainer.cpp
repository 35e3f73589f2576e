#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "lda/gibbs/chain.h"
#include "lda/options.h"
#include "lda/priors.h"
#include "lda/state.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using base::require;
using Clock = std::chrono::steady_clock;

// theta and phi are floats: priors must not leave their range.
bool is_prior(double value) { return std::isfinite(value) && value > 0 && value <= 1e6; }

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
  require(topics.alpha.empty() || std::ssize(topics.alpha) == options.topics,
          "papilio::train: the topics to resume from have {} priors, expected none or one a topic: {}",
          topics.alpha.size(), options.topics);
  for (std::size_t k = 0; k < topics.alpha.size(); ++k) {
    require(is_prior(topics.alpha[k]),
            "papilio::train: alpha of topic {} to resume from is {}, expected 0 < alpha <= 1e6", k, topics.alpha[k]);
  }
  require(topics.beta == 0 || is_prior(topics.beta),
          "papilio::train: beta to resume from is {}, expected 0 (that of the options) < beta <= 1e6", topics.beta);
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

// When the topics are to be shown for a checkpoint.
class CheckpointClock {
 public:
  CheckpointClock(const TrainOptions& options, Clock::time_point start) : options_(options), last_(start) {}

  // Whether one is due after the sweep; a GPU has been waited for where the time matters.
  bool is_due(lda::Chain& chain, SweepTimer& timer) {
    const std::int64_t sweep = chain.sweeps();
    if (!options_.checkpoint || sweep >= options_.sweeps) return false;
    if (options_.checkpoint_every > 0 && sweep % options_.checkpoint_every == 0) return true;
    if (options_.checkpoint_seconds <= 0) return false;
    timer.stop(chain);
    return seconds_since(last_) >= options_.checkpoint_seconds;
  }

  void show(lda::Chain& chain, SweepTimer& timer) {
    timer.stop(chain);
    chain.show_topics(options_.checkpoint);
    last_ = Clock::now();
  }

 private:
  const TrainOptions& options_;
  Clock::time_point last_;
};

Model model_of(const CorpusView& corpus, const TrainOptions& options, lda::State& state) {
  Model model;
  model.topics = options.topics;
  model.vocabulary.assign(corpus.vocabulary.begin(), corpus.vocabulary.end());
  model.alpha = state.priors.alpha;
  model.beta = state.priors.beta;
  model.n_wk = std::move(state.n_wk);
  model.n_k = std::move(state.n_k);
  model.settings = {{"sampler", name(options.sampler)},
                    {"schedule", name(options.schedule)},
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

namespace {

TrainResult train_from(const CorpusView& corpus, const TrainOptions& options, std::optional<Topics> resume) {
  const Clock::time_point start = Clock::now();
  lda::require_options(options, "train");
  require_corpus_to_train_on(corpus, options);
  if (resume) require_resumable(corpus, options, *resume);
  const auto tokens = static_cast<double>(corpus.tokens());
  const std::unique_ptr<lda::Chain> chain = lda::start_chain(corpus, options, std::move(resume));

  TrainResult result;
  SweepTimer timer;
  CheckpointClock checkpoints(options, start);
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
    if (!result.stopped && checkpoints.is_due(*chain, timer)) checkpoints.show(*chain, timer);
  }
  if (!evaluated) {
    result.log_joint_per_token = chain->log_joint() / tokens;
  }
  lda::State state = chain->take_state();
  result.model = model_of(corpus, options, state);
  result.topics = lda::take_topics(state, options);
  return result;
}

}  // namespace

TrainResult train(const CorpusView& corpus, const TrainOptions& options, const Topics* resume) {
  return train_from(corpus, options, resume != nullptr ? std::optional<Topics>(*resume) : std::nullopt);
}

TrainResult train(const CorpusView& corpus, const TrainOptions& options, Topics&& resume) {
  return train_from(corpus, options, std::move(resume));
}

namespace lda {
namespace {

void require_topic_alpha(const TrainOptions& options, const char* caller) {
  const std::vector<double>& alpha = options.topic_alpha;
  require(alpha.empty() || std::ssize(alpha) == options.topics,
          "papilio::{}: topic_alpha has {} entries, expected none or one a topic: {}", caller, alpha.size(),
          options.topics);
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    require(is_prior(alpha[k]), "papilio::{}: topic_alpha[{}] is {}, expected 0 < alpha <= 1e6", caller, k, alpha[k]);
  }
}

}  // namespace

void require_options(const TrainOptions& options, const char* caller) {
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
  require(options.optimize_every >= 0, "papilio::{}: optimize_every is {}, expected 0 or more", caller,
          options.optimize_every);
  require(options.optimize_after >= 0, "papilio::{}: optimize_after is {}, expected 0 or more", caller,
          options.optimize_after);
  require(options.checkpoint_every >= 0 && options.checkpoint_seconds >= 0,
          "papilio::{}: checkpoint_every is {} and checkpoint_seconds {}, expected 0 or more", caller,
          options.checkpoint_every, options.checkpoint_seconds);
  require(options.sampler <= Sampler::collapsed, "papilio::{}: unknown sampler {}", caller,
          static_cast<int>(options.sampler));
  require(options.schedule <= Schedule::sequential, "papilio::{}: unknown schedule {}", caller,
          static_cast<int>(options.schedule));
  require(options.method <= PartialSums::butterfly_add_subtract_remnant_first, "papilio::{}: unknown method {}", caller,
          static_cast<int>(options.method));
  require_topic_alpha(options, caller);
}

}  // namespace lda

}  // namespace papilio
