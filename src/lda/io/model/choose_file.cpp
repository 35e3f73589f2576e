#include "lda/io/model/choose_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/model/corpus_identity.h"
#include "lda/io/model/safetensors.h"
#include "lda/model/choose_runs.h"
#include "papilio/choose.h"
#include "papilio/error.h"
#include "papilio/version.h"

namespace papilio {
namespace {

constexpr const char* format = "papilio-choose";
constexpr const char* format_version = "1";
constexpr std::int64_t measures = 4;  // perplexity, coherence, diversity, seconds

constexpr const char* seed_words_key = "settings.seed_words";  // present only if there are seed words

// "12 words, HASH", whatever their order in the options.
std::string seed_words_text(std::vector<SeedWord> words) {
  std::ranges::sort(words, {}, [](const SeedWord& seed) { return std::pair(seed.word, seed.topic); });
  std::vector<std::int32_t> numbers;
  for (const SeedWord& seed : words) numbers.insert(numbers.end(), {seed.topic, seed.word, seed.weight});
  return fmt::format("{} words, {}", words.size(), lda::xxh3_128(std::as_bytes(std::span(numbers))));
}

void require_same_run(const lda::SafetensorsFile& file, const lda::Metadata& expected, const std::string& path) {
  for (const char* key : {"format", "format_version"}) {
    if (file.metadata(key) != expected.at(key)) {
      file.fail(fmt::format("{} is {}, expected {}", key, lda::quoted(file.metadata(key)), expected.at(key)));
    }
  }
  const auto value_in = [](const lda::Metadata& metadata, const std::string& key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string("none") : found->second;
  };
  lda::Metadata all = expected;
  all.insert(file.metadata().begin(), file.metadata().end());
  // First another corpus, then another setting, then the version: in the order in which users can correct them.
  lda::require_same_corpus(file.metadata(), expected,
                           fmt::format("papilio::load_choose_runs: {}: the results belong to", path));
  constexpr std::pair<const char*, const char*> groups[] = {{"settings.", "run"}, {"version", "version of papilio"}};
  for (const auto& [beginning, what] : groups) {
    for (const auto& entry : all) {
      const std::string& key = entry.first;
      const std::string found = value_in(file.metadata(), key), wanted = value_in(expected, key);
      base::require(!key.starts_with(beginning) || found == wanted,
                    "papilio::load_choose_runs: {}: the file holds results of another {}: {} is {}, expected {}", path,
                    what, key, lda::quoted(found), wanted);
    }
  }
  if (file.metadata().size() != expected.size()) {
    file.fail(fmt::format("the metadata has {} entries, expected {}", file.metadata().size(), expected.size()));
  }
}

}  // namespace

namespace lda {

Metadata choose_identity(const CorpusView& corpus, const ChooseOptions& options) {
  const TrainOptions& training = options.training;
  const CoherenceOptions& coherence = options.coherence;
  Metadata metadata = {
      {"format", format},
      {"format_version", format_version},
      {"version", version()},
      {"settings.alpha", options.alpha_sum ? fmt::format("a sum of {} over topics", *options.alpha_sum)
                                           : fmt::format("{}", training.alpha)},
      {"settings.beta", fmt::format("{}", training.beta)},
      {"settings.sweeps", std::to_string(training.sweeps)},
      {"settings.optimize", training.optimize_every == 0
                                ? "never"
                                : fmt::format("every {} after {}", training.optimize_every, training.optimize_after)},
      {"settings.sampler", std::string(name(training.sampler))},
      {"settings.method", std::string(name(training.method))},
      {"settings.schedule", std::string(name(training.schedule))},
      {"settings.start", std::string(name(training.start))},
      {"settings.draws", std::string(name(training.draws))},
      {"settings.held_out_every", std::to_string(options.held_out_every)},
      {"settings.coherence",
       fmt::format("{}, {} words, window {}", name(coherence.measure), coherence.top_words, coherence.window)},
      {"settings.top_words", std::to_string(options.top_words)}};
  if (training.draws == Draws::alias) metadata["settings.mh_steps"] = std::to_string(training.mh_steps);
  if (!training.seed_words.empty()) metadata[seed_words_key] = seed_words_text(training.seed_words);
  add_corpus_identity(metadata, corpus);
  return metadata;
}

}  // namespace lda

void save_choose_runs(const std::vector<ChooseRun>& runs, const CorpusView& corpus, const ChooseOptions& options,
                      const std::string& path) {
  lda::require_choose_options(options, "save_choose_runs");
  corpus.verify(options.training.threads);
  base::require(!runs.empty(), "papilio::save_choose_runs: there are no runs, nothing to write");
  lda::require_runs(runs, corpus.vocabulary_size(), options.top_words, "save_choose_runs");
  std::vector<double> numbers;
  std::vector<std::int64_t> seeds;
  std::vector<std::int32_t> topics;
  std::vector<std::int32_t> top_words;
  for (const ChooseRun& run : runs) {
    numbers.insert(numbers.end(), {run.perplexity, run.coherence, run.diversity, run.seconds});
    seeds.push_back(static_cast<std::int64_t>(run.seed));
    topics.push_back(run.topics);
    top_words.insert(top_words.end(), run.top_words.begin(), run.top_words.end());
  }
  const std::int64_t count = std::ssize(runs);
  lda::write_safetensors(
      path, lda::choose_identity(corpus, options),
      {lda::tensor_view("measures", {count, measures}, numbers), lda::tensor_view("seeds", {count}, seeds),
       lda::tensor_view("topics", {count}, topics), lda::tensor_view("top_words", {std::ssize(top_words)}, top_words)},
      "save_choose_runs");
}

std::vector<ChooseRun> load_choose_runs(const CorpusView& corpus, const ChooseOptions& options,
                                        const std::string& path) {
  lda::require_choose_options(options, "load_choose_runs");
  corpus.verify(options.training.threads);
  lda::SafetensorsFile file(path, "load_choose_runs");
  require_same_run(file, lda::choose_identity(corpus, options), path);
  file.require_tensors({"measures", "seeds", "top_words", "topics"});
  const std::int64_t count = file.shape("topics").empty() ? 0 : file.shape("topics").front();
  const std::vector<std::int32_t> topics = file.read<std::int32_t>("topics", {count});
  const std::vector<std::int64_t> seeds = file.read<std::int64_t>("seeds", {count});
  const std::vector<double> numbers = file.read<double>("measures", {count, measures});
  std::int64_t words = 0;
  for (const std::int32_t k : topics) {
    if (k < 1) file.fail(fmt::format("a run has {} topics, expected at least 1", k));
    words += std::int64_t{k} * options.top_words;
  }
  const std::vector<std::int32_t> top_words = file.read<std::int32_t>("top_words", {words});
  std::vector<ChooseRun> runs;
  auto next = top_words.begin();
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const double* of_run = numbers.data() + i * measures;
    const auto end = next + std::int64_t{topics[i]} * options.top_words;
    runs.push_back({.topics = topics[i],
                    .seed = static_cast<std::uint64_t>(seeds[i]),
                    .perplexity = of_run[0],
                    .coherence = of_run[1],
                    .diversity = of_run[2],
                    .seconds = of_run[3],
                    .top_words = {next, end}});
    next = end;
  }
  try {
    lda::require_runs(runs, corpus.vocabulary_size(), options.top_words, "load_choose_runs");
  } catch (const InvalidArgument& error) {
    constexpr std::string_view caller = "papilio::load_choose_runs: ";
    file.fail(std::string(error.what()).substr(caller.size()));
  }
  return runs;
}

}  // namespace papilio
