#include "lda/training/choose/chooser.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "execution/cpu/interruption.h"
#include "lda/evaluation/document_completion.h"
#include "lda/evaluation/stability.h"
#include "lda/model/checked_on_threads.h"
#include "lda/model/options.h"
#include "lda/training/choose/rows.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

using base::require;

constexpr int whole_documents = std::numeric_limits<int>::max();  // a window that holds the longest document

// The words of all documents, of which models know those that are trained on.
WordMap known_words(const HeldOutSplit& split) {
  WordMap map = {.model_words = std::vector<std::int32_t>(split.training.vocabulary.size(), -1)};
  for (const std::int32_t w : split.training.words) map.model_words[static_cast<std::size_t>(w)] = w;
  return map;
}

void require_split(const HeldOutSplit& split, const ChooseOptions& options) {
  require(
      documents_to_score(split.held_out, known_words(split)) > 0,
      "papilio::choose_topics: no held-out document has two words of the other documents ({} of {} documents are held "
      "out, every {}th)",
      split.held_out.documents(), split.held_out.documents() + split.training.documents(), options.held_out_every);
  const std::int32_t most = *std::max_element(options.topics.begin(), options.topics.end());
  require(
      most <= split.training.documents(),
      "papilio::choose_topics: {} topics are more than the {} documents trained on ({} are held out); expected at most "
      "{}",
      most, split.training.documents(), split.held_out.documents(), split.training.documents());
}

}  // namespace

std::vector<WantedModel> wanted_beside(std::vector<ChooseRun>& runs, const ChooseOptions& options) {
  std::vector<std::int32_t> topics = options.topics;
  std::sort(topics.begin(), topics.end());
  std::vector<WantedModel> wanted;
  std::vector<ChooseRun> kept;
  for (int i = 0; i < options.seeds; ++i) {
    const std::uint64_t seed = options.training.seed + static_cast<std::uint64_t>(i);
    for (const std::int32_t k : topics) {
      const auto known = std::find_if(runs.begin(), runs.end(),
                                      [&](const ChooseRun& run) { return run.topics == k && run.seed == seed; });
      if (known == runs.end()) {
        wanted.push_back({k, seed});
      } else {
        kept.push_back(std::move(*known));
        runs.erase(known);
      }
    }
  }
  runs = std::move(kept);
  return wanted;
}

Chooser::Chooser(const CorpusView& corpus, const ChooseOptions& options)
    : options_(options),
      split_(hold_out_every(corpus, options.held_out_every, options.training.threads)),
      coherence_(options.coherence) {
  require_split(split_, options);
  coherence_.threads = options.training.threads;
  if (coherence_.measure != CoherenceMeasure::umass && coherence_.window == 0 && split_.training.is_bag_of_words()) {
    coherence_.window = whole_documents;
  }
  for (const std::int32_t topics : options_.topics) require_options(training(topics, 0), "choose_topics");
}

std::optional<ChooseRun> Chooser::run(const WantedModel& wanted, int model, int models,
                                      const std::function<bool(const ChooseProgress&)>& goes_on) const {
  const auto start = std::chrono::steady_clock::now();
  TrainOptions of_run = training(wanted.topics, wanted.seed);
  of_run.progress = [&](const Progress& progress) {
    return goes_on({wanted.topics, wanted.seed, model, models, progress});
  };
  TrainResult trained = train(split_.training, of_run);
  execution::stop_point();
  if (trained.stopped) return std::nullopt;
  const Model& result = trained.model;
  ChooseRun found = {.topics = wanted.topics, .seed = wanted.seed};
  found.perplexity = complete_documents(result, split_.held_out, {.threads = of_run.threads}).perplexity();
  found.coherence = coherence(result, split_.training, coherence_).mean;
  found.top_words = top_word_lists(result, options_.top_words);
  found.diversity = diversity_of(found.top_words);
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return found;
}

ChooseResult Chooser::result(std::vector<ChooseRun> runs, bool stopped) const {
  ChooseResult result;
  describe(result);
  result.stopped = stopped;
  std::sort(runs.begin(), runs.end(), [](const ChooseRun& a, const ChooseRun& b) {
    return std::tie(a.topics, a.seed) < std::tie(b.topics, b.seed);
  });
  result.rows = choose_rows(runs, std::ssize(split_.training.vocabulary), options_.training.threads);
  result.runs = std::move(runs);
  return result;
}

void Chooser::describe(ChooseResult& result) const {
  const TrainOptions& training = options_.training;
  result.documents = split_.training.documents();
  result.held_out_documents = split_.held_out.documents();
  result.measure = coherence_.measure;
  result.coherence_words = coherence_.top_words;
  const bool is_text = coherence_.measure != CoherenceMeasure::umass && coherence_.window != whole_documents;
  const int usual = coherence_.measure == CoherenceMeasure::npmi ? 10 : 110;
  result.window = !is_text ? 0 : coherence_.window == 0 ? usual : coherence_.window;
  result.top_words = options_.top_words;
  result.settings = {
      {"documents trained on", fmt::format("{}", result.documents)},
      {"documents held out", fmt::format("{}: every {}th", result.held_out_documents, options_.held_out_every)},
      {"seeds", options_.seeds == 1 ? fmt::format("{}", training.seed)
                                    : fmt::format("{} to {}", training.seed,
                                                  training.seed + static_cast<std::uint64_t>(options_.seeds - 1))},
      {"sweeps", fmt::format("{}", training.sweeps)},
      {"alpha", options_.alpha_sum ? fmt::format("{}, divided by the number of topics", *options_.alpha_sum)
                                   : fmt::format("{} for each topic", training.alpha)},
      {"beta", fmt::format("{}", training.beta)},
      {"optimisation of priors",
       training.optimize_every == 0
           ? "never"
           : fmt::format("every {} sweeps, after {}", training.optimize_every, training.optimize_after)},
      {"sampler", std::string(name(training.sampler))},
      {"coherence", fmt::format("{} of {} words, in {}", name(result.measure), result.coherence_words,
                                result.window == 0 ? "documents" : fmt::format("windows of {} tokens", result.window))},
      {"words per topic for diversity and stability", fmt::format("{}", result.top_words)}};
}

TrainOptions Chooser::training(std::int32_t topics, std::uint64_t seed) const {
  TrainOptions options = options_.training;
  options.topics = topics;
  options.seed = seed;
  options.evaluate_every = 0;
  options.progress_every = 1;
  if (options_.alpha_sum) options.alpha = *options_.alpha_sum / topics;
  return options;
}

}  // namespace papilio::lda
