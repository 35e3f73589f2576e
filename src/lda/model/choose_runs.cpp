#include "lda/model/choose_runs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/choices.h"
#include "lda/model/options.h"

namespace papilio::lda {
namespace {

using base::require;

void require_run(const ChooseRun& run, std::int64_t vocabulary_size, int top_words, const char* caller) {
  const auto fits = [](double value, double least) {
    return std::isnan(value) || (std::isfinite(value) && value >= least);
  };
  require(run.topics >= 1, "papilio::{}: a run has {} topics, expected at least 1", caller, run.topics);
  require(std::isfinite(run.perplexity) && run.perplexity > 0 && fits(run.coherence, -1e9) && fits(run.diversity, 0) &&
              std::isfinite(run.seconds) && run.seconds >= 0,
          "papilio::{}: the run of {} topics, seed {} has impossible measures: perplexity {}, coherence {}, "
          "diversity {}, seconds {}",
          caller, run.topics, run.seed, run.perplexity, run.coherence, run.diversity, run.seconds);
  require(std::ssize(run.top_words) == std::int64_t{run.topics} * top_words,
          "papilio::{}: the run of {} topics, seed {} has {} top words, expected {} for each topic", caller, run.topics,
          run.seed, run.top_words.size(), top_words);
  const auto out_of_range = std::find_if(run.top_words.begin(), run.top_words.end(),
                                         [&](std::int32_t w) { return w < -1 || w >= vocabulary_size; });
  require(out_of_range == run.top_words.end(),
          "papilio::{}: the run of {} topics, seed {} has the top word {}, expected -1 to {}", caller, run.topics,
          run.seed, out_of_range == run.top_words.end() ? 0 : *out_of_range, vocabulary_size - 1);
}

void require_numbers_of_topics(const std::vector<std::int32_t>& topics, const char* caller) {
  require(!topics.empty(), "papilio::{}: topics is empty, expected numbers to try", caller);
  std::set<std::int32_t> known;
  for (const std::int32_t k : topics) {
    require(k >= 1, "papilio::{}: topics has {}, expected at least 1", caller, k);
    require(known.insert(k).second, "papilio::{}: topics has {} twice, expected each number once", caller, k);
  }
}

}  // namespace

void require_choose_options(const ChooseOptions& options, const char* caller) {
  const TrainOptions& training = options.training;
  const CoherenceOptions& coherence = options.coherence;
  require_numbers_of_topics(options.topics, caller);
  require(1 <= options.seeds && options.seeds <= 1000, "papilio::{}: seeds is {}, expected 1 to 1000", caller,
          options.seeds);
  require(training.seed <= std::numeric_limits<std::uint64_t>::max() - static_cast<std::uint64_t>(options.seeds - 1),
          "papilio::{}: seed is {}, expected room for {} seeds in a row below 2^64", caller, training.seed,
          options.seeds);
  require(training.topic_alpha.empty() && !training.held_out && !training.progress && !training.checkpoint,
          "papilio::{}: training has topic_alpha, held_out, progress or checkpoint, expected none of them", caller);
  require(!options.alpha_sum || is_prior(*options.alpha_sum), "papilio::{}: alpha_sum is {}, expected 1e-100 to 1e6",
          caller, options.alpha_sum.value_or(0));
  require(options.held_out_every >= 2, "papilio::{}: held_out_every is {}, expected at least 2", caller,
          options.held_out_every);
  require(1 <= options.top_words && options.top_words <= 1000, "papilio::{}: top_words is {}, expected 1 to 1000",
          caller, options.top_words);
  require(2 <= coherence.top_words && coherence.top_words <= 1000,
          "papilio::{}: coherence.top_words is {}, expected 2 to 1000", caller, coherence.top_words);
  const bool counts_windows = coherence.measure != CoherenceMeasure::umass;
  require(coherence.window == 0 || (counts_windows && coherence.window > 0),
          "papilio::{}: coherence.window is {}, expected 0{}", caller, coherence.window,
          counts_windows ? " (the usual size) or more" : ", as umass counts documents");
  base::require_known(coherence_measures(), coherence.measure, caller, "measure");
}

void require_runs(const std::vector<ChooseRun>& runs, std::int64_t vocabulary_size, int top_words, const char* caller) {
  std::set<std::pair<std::int32_t, std::uint64_t>> known;
  for (const ChooseRun& run : runs) {
    require_run(run, vocabulary_size, top_words, caller);
    require(known.emplace(run.topics, run.seed).second, "papilio::{}: there are two runs of {} topics, seed {}", caller,
            run.topics, run.seed);
  }
}

}  // namespace papilio::lda
