#include "lda/model/options.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/check.h"
#include "base/choices.h"
#include "lda/model/seeds.h"

namespace papilio {

namespace {

using enum Parameter;

constexpr SamplerChoice sampler_rows[] = {
    {{Sampler::collapsed, "collapsed", "theta and phi integrated out"},
     integrated_out,
     integrated_out,
     true,
     true,
     true},
    {{Sampler::phi_collapsed, "phi_collapsed", "theta drawn, phi integrated out"},
     drawn,
     integrated_out,
     false,
     false,
     false},
    {{Sampler::theta_collapsed, "theta_collapsed", "phi drawn, theta integrated out: the tokens of a document in turn"},
     integrated_out,
     drawn,
     true,
     false,
     true},
    {{Sampler::uncollapsed, "uncollapsed", "theta and phi drawn"}, drawn, drawn, false, false, false},
    {{Sampler::mean_for_mode, "mean_for_mode", "theta and phi replaced by their posterior means"},
     estimated,
     estimated,
     true,
     true,
     false},
};

constexpr Choice<Schedule> schedule_rows[] = {
    {Schedule::parallel, "parallel", "every token at once, by the counts at the start of the sweep"},
    {Schedule::sequential, "sequential", "one token after another, in one thread: the exact chain"},
};

constexpr Choice<Draws> draws_rows[] = {
    {Draws::automatic, "automatic", "sparse where that is usually faster, else dense"},
    {Draws::dense, "dense", "over all topics"},
    {Draws::sparse, "sparse", "over the topics of the token's document and word"},
    {Draws::alias, "alias", "a few Metropolis-Hastings steps by alias tables; on a CPU only"},
};

constexpr Choice<Start> start_rows[] = {
    {Start::automatic, "automatic", "uniform"},
    {Start::uniform, "uniform", "all documents from the first sweep, each token in a random topic"},
    {Start::progressive, "progressive", "40 sweeps over a growing part of the documents, then all"},
};

}  // namespace

std::span<const SamplerChoice> samplers() noexcept { return sampler_rows; }
std::span<const Choice<Schedule>> schedules() noexcept { return schedule_rows; }
std::span<const Choice<Draws>> draw_kinds() noexcept { return draws_rows; }
std::span<const Choice<Start>> starts() noexcept { return start_rows; }

std::string_view name(Sampler sampler) noexcept { return base::name_in(sampler_rows, sampler); }
std::string_view name(Schedule schedule) noexcept { return base::name_in(schedule_rows, schedule); }
std::string_view name(Draws draws) noexcept { return base::name_in(draws_rows, draws); }
std::string_view name(Start start) noexcept { return base::name_in(start_rows, start); }

Sampler parse_sampler(std::string_view name) { return base::parse_in(sampler_rows, name, "parse_sampler", "sampler"); }
Schedule parse_schedule(std::string_view name) {
  return base::parse_in(schedule_rows, name, "parse_schedule", "schedule");
}
Draws parse_draws(std::string_view name) { return base::parse_in(draws_rows, name, "parse_draws", "kind of draws"); }
Start parse_start(std::string_view name) { return base::parse_in(start_rows, name, "parse_start", "start"); }

namespace lda {

using base::require;

int start_stages(std::int32_t topics, Start start, std::int64_t tokens) {
  constexpr std::int64_t most_in_last_part = 40'000;
  if (start != Start::progressive) return 0;
  int stages = 0;
  for (std::int64_t a_topic = tokens / topics; stages < 4 && 2 * a_topic <= most_in_last_part; a_topic *= 2) {
    ++stages;
  }
  return std::max(stages, 1);
}

const SamplerChoice& choice_of(Sampler sampler) {
  const SamplerChoice* row = base::find_row(sampler_rows, sampler);
  require(row != nullptr, "papilio: unknown sampler {}", static_cast<int>(sampler));
  return *row;
}

const PartialSumsChoice& choice_of(PartialSums method) {
  const PartialSumsChoice* row = base::find_row(partial_sums(), method);
  require(row != nullptr, "papilio: unknown method {}", static_cast<int>(method));
  return *row;
}

namespace {

bool draws_in_parallel(const TrainOptions& options) {
  return choice_of(options.sampler).phi != integrated_out || options.schedule == Schedule::parallel;
}

}  // namespace

bool knows_sparse_draws(const TrainOptions& options) {
  return choice_of(options.sampler).sparse_draws && options.method == PartialSums::slots &&
         options.topics <= most_sparse_topics;
}

bool knows_alias_draws(const TrainOptions& options) {
  return choice_of(options.sampler).alias_draws && draws_in_parallel(options) && options.method == PartialSums::slots;
}

Draws draws_of(const TrainOptions& options, std::int64_t tokens) {
  if (options.draws == Draws::alias) return Draws::alias;
  return draws_sparsely(options, tokens) ? Draws::sparse : Draws::dense;
}

bool prefers_sparse_draws(const TrainOptions& options) {
  return knows_sparse_draws(options) && choice_of(options.sampler).sparse_by_default;
}

bool is_prior(double value) noexcept { return least_prior <= value && value <= largest_prior; }

namespace {

void require_topic_alpha(const TrainOptions& options, const char* caller) {
  const std::vector<double>& alpha = options.topic_alpha;
  require(alpha.empty() || std::ssize(alpha) == options.topics,
          "papilio::{}: topic_alpha has {} entries, expected none or one per topic: {}", caller, alpha.size(),
          options.topics);
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    require(is_prior(alpha[k]), "papilio::{}: topic_alpha[{}] is {}, expected 1e-100 to 1e6", caller, k, alpha[k]);
  }
}

// Samplers that draw theta or phi use its prior as a float.
void require_drawn_priors(const TrainOptions& options, const char* caller) {
  const auto require_float = [&](Parameter parameter, double prior, const char* what) {
    require(parameter != drawn || prior >= double{std::numeric_limits<float>::min()},
            "papilio::{}: {} is {}, expected 1.18e-38 to 1e6 for the sampler {}, which draws by it", caller, what,
            prior, name(options.sampler));
  };
  const SamplerChoice& sampler = choice_of(options.sampler);
  const std::vector<double>& alpha = options.topic_alpha;
  require_float(sampler.theta, alpha.empty() ? options.alpha : *std::min_element(alpha.begin(), alpha.end()), "alpha");
  require_float(sampler.phi, options.beta, "beta");
}

// "collapsed (parallel schedule), theta_collapsed, ..."
std::string samplers_with(bool SamplerChoice::*draws, bool in_parallel_only) {
  std::string names;
  for (const SamplerChoice& row : sampler_rows) {
    if (!(row.*draws)) continue;
    names.append(names.empty() ? "" : ", ").append(row.name);
    if (in_parallel_only && row.phi == integrated_out) names += " (parallel schedule)";
  }
  return names;
}

void require_draws(const TrainOptions& options, const char* caller) {
  base::require_known(draws_rows, options.draws, caller, "kind of draws");
  require(
      options.draws != Draws::sparse || knows_sparse_draws(options),
      "papilio::{}: sparse draws need the method slots, at most {} topics, and one of the samplers {}; got method {}, "
      "{} topics, sampler {}",
      caller, most_sparse_topics, samplers_with(&SamplerChoice::sparse_draws, false), name(options.method),
      options.topics, name(options.sampler));
  require(1 <= options.mh_steps && options.mh_steps <= most_mh_steps, "papilio::{}: mh_steps is {}, expected 1 to {}",
          caller, options.mh_steps, most_mh_steps);
  if (options.draws != Draws::alias) return;
  require(knows_alias_draws(options),
          "papilio::{}: alias draws need the method slots and one of the samplers {}; got method {}, sampler {}, "
          "schedule {}",
          caller, samplers_with(&SamplerChoice::alias_draws, true), name(options.method), name(options.sampler),
          name(options.schedule));
  require(options.device.is_cpu(),
          "papilio::{}: alias draws are made on a CPU only; got device {}; expected device cpu, or sparse or dense "
          "draws, which work on a GPU",
          caller, options.device.name());
}

}  // namespace

void require_options(const TrainOptions& options, const char* caller) {
  const std::int64_t most_sweeps = std::numeric_limits<std::uint32_t>::max();  // a draw has 32 bits for its sweep
  require(options.topics >= 1, "papilio::{}: topics is {}, expected at least 1", caller, options.topics);
  require(0 <= options.sweeps && options.sweeps <= most_sweeps, "papilio::{}: sweeps is {}, expected 0 <= sweeps <= {}",
          caller, options.sweeps, most_sweeps);
  require(is_prior(options.alpha), "papilio::{}: alpha is {}, expected 1e-100 to 1e6", caller, options.alpha);
  require(is_prior(options.beta), "papilio::{}: beta is {}, expected 1e-100 to 1e6", caller, options.beta);
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
  require(options.max_device_memory >= 0, "papilio::{}: max_device_memory is {}, expected 0 (all that is free) or more",
          caller, options.max_device_memory);
  base::require_known(sampler_rows, options.sampler, caller, "sampler");
  base::require_known(schedule_rows, options.schedule, caller, "schedule");
  base::require_known(start_rows, options.start, caller, "start");
  base::require_known(partial_sums(), options.method, caller, "method");
  require_draws(options, caller);
  require_topic_alpha(options, caller);
  static_cast<void>(Seeds(options.seed_words, options.topics, caller));
  require_drawn_priors(options, caller);
}

}  // namespace lda

}  // namespace papilio
