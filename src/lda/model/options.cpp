#include "lda/model/options.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/check.h"

namespace papilio {

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

const char* name(Draws draws) noexcept {
  switch (draws) {
    case Draws::automatic:
      return "automatic";
    case Draws::dense:
      return "dense";
    case Draws::sparse:
      return "sparse";
  }
  return "unknown";
}

const char* name(Schedule schedule) noexcept { return schedule == Schedule::sequential ? "sequential" : "parallel"; }

const char* name(Start start) noexcept {
  switch (start) {
    case Start::automatic:
      return "automatic";
    case Start::uniform:
      return "uniform";
    case Start::progressive:
      return "progressive";
  }
  return "unknown";
}

namespace lda {

using base::require;

int start_stages(const TrainOptions& options, Start start, std::int64_t documents, std::int64_t tokens) {
  constexpr std::int64_t least_tokens = 1 << 18, least_per_document = 256, most_per_topic = 10'000,
                         most_in_last_part = 40'000;
  const bool suits = options.sampler == Sampler::collapsed && options.schedule == Schedule::parallel &&
                     tokens >= least_tokens && tokens >= least_per_document * documents &&
                     tokens / options.topics <= most_per_topic;
  if (start == Start::uniform || (start == Start::automatic && !suits)) return 0;
  int stages = 0;
  for (std::int64_t a_topic = tokens / options.topics; stages < 4 && 2 * a_topic <= most_in_last_part; a_topic *= 2) {
    ++stages;
  }
  return start == Start::progressive ? std::max(stages, 1) : stages;
}

bool is_prior(double value) noexcept { return std::isfinite(value) && value > 0 && value <= 1e6; }

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
  require(options.held_out_every >= 0, "papilio::{}: held_out_every is {}, expected 0 or more", caller,
          options.held_out_every);
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
  require(options.start <= Start::progressive, "papilio::{}: unknown start {}", caller,
          static_cast<int>(options.start));
  require(options.draws <= Draws::sparse, "papilio::{}: unknown kind of draws {}", caller,
          static_cast<int>(options.draws));
  require(options.draws != Draws::sparse || lda::knows_sparse_draws(options),
          "papilio::{}: sparse draws are for the samplers collapsed (parallel), mean_for_mode and theta_collapsed, the "
          "method slots and at most {} topics; asked for are {}, {}, {}, {}",
          caller, lda::most_sparse_topics, name(options.sampler), name(options.schedule), name(options.method),
          options.topics);
  require(options.method <= PartialSums::butterfly_add_subtract_remnant_first, "papilio::{}: unknown method {}", caller,
          static_cast<int>(options.method));
  require_topic_alpha(options, caller);
}

}  // namespace lda

}  // namespace papilio
