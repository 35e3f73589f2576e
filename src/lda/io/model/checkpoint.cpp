#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "lda/io/bytes/atomic_file.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/model/corpus_identity.h"
#include "lda/io/model/safetensors.h"
#include "lda/model/options.h"
#include "lda/model/priors.h"
#include "lda/model/state.h"
#include "papilio/error.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

constexpr const char* previous_ending = ".previous";

// A sound file, but not one of ours: no reason to look at the previous one.
struct OtherFormat : FormatError {
  using FormatError::FormatError;
};

std::string hash_of(const auto& elements) { return lda::xxh3_128(std::as_bytes(std::span(elements))); }

// The same text for the same prior of each topic, whichever way the options say it.
std::string alpha_text(const TrainOptions& options) {
  const lda::Priors priors = lda::priors_of(options);
  return priors.is_symmetric() ? fmt::format("{}", priors.alpha.front())
                               : fmt::format("one for each topic, {}", hash_of(priors.alpha));
}

constexpr const char* seed_words_key = "options.seed_words";  // only where there are some

// "12 words in 3 topics, HASH", the same in whichever order the options have them.
std::string seed_words_text(const lda::Seeds& seeds) {
  std::vector<std::int32_t> numbers;
  for (const SeedWord& seed : seeds.words()) numbers.insert(numbers.end(), {seed.topic, seed.word, seed.weight});
  const auto topics = std::count_if(seeds.s_k().begin(), seeds.s_k().end(), [](std::int64_t s) { return s > 0; });
  return fmt::format("{} words in {} topics, {}", seeds.words().size(), topics, hash_of(numbers));
}

// What decides how a chain goes on: a checkpoint holds these words, and fits only where all agree.
lda::Metadata identity(const CorpusView& corpus, const TrainOptions& options, const char* caller) {
  lda::Metadata metadata = {
      {"format", "papilio-checkpoint"},
      {"format_version", "3"},
      {"options.topics", std::to_string(options.topics)},
      {"options.alpha", alpha_text(options)},
      {"options.beta", fmt::format("{}", options.beta)},
      {"options.optimize", options.optimize_every == 0
                               ? "never"
                               : fmt::format("every {} after {}", options.optimize_every, options.optimize_after)},
      {"options.seed", std::to_string(options.seed)},
      {"options.sampler", std::string(name(options.sampler))},
      {"options.method", std::string(name(options.method))},
      {"options.schedule", std::string(name(options.schedule))},
      {"options.draws", std::string(name(lda::draws_of(options, corpus.tokens())))}};
  if (options.draws == Draws::alias) metadata["options.mh_steps"] = std::to_string(options.mh_steps);
  lda::add_corpus_identity(metadata, corpus);
  const lda::Seeds seeds = lda::seeds_of_options(corpus, options, caller);
  if (!seeds.empty()) metadata[seed_words_key] = seed_words_text(seeds);
  return metadata;
}

// Throws InvalidArgument for priors that no chain can have reached.
void require_priors(const ChainState& topics, const TrainOptions& options) {
  const auto is_prior = [](double value) { return value > 0 && value <= std::numeric_limits<double>::max(); };
  base::require(topics.alpha.empty() || std::ssize(topics.alpha) == options.topics,
                "alpha has {} entries, expected one per topic, {}, or none", topics.alpha.size(), options.topics);
  base::require(std::all_of(topics.alpha.begin(), topics.alpha.end(), is_prior),
                "alpha has an entry that is not finite and above 0");
  base::require(topics.beta == 0 || is_prior(topics.beta), "beta is {}, expected a finite number of 0 or more",
                topics.beta);
}

void require_identity(const lda::SafetensorsFile& file, const lda::Metadata& expected, const std::string& path) {
  for (const char* key : {"format", "format_version"}) {
    if (file.metadata(key) != expected.at(key)) {
      throw OtherFormat(fmt::format("papilio::load_checkpoint: {}: {} is {}, expected {}", path, key,
                                    lda::quoted(file.metadata(key)), expected.at(key)));
    }
  }
  const auto seeds_in = [](const lda::Metadata& metadata) {
    const auto found = metadata.find(seed_words_key);
    return found == metadata.end() ? std::string("none") : found->second;
  };
  base::require(seeds_in(file.metadata()) == seeds_in(expected),
                "papilio::load_checkpoint: {}: the checkpoint belongs to another run: {} is {}, expected {}", path,
                seed_words_key, lda::quoted(seeds_in(file.metadata())), seeds_in(expected));
  for (const auto& [key, value] : expected) {
    base::require(file.metadata(key) == value,
                  "papilio::load_checkpoint: {}: the checkpoint belongs to another run: {} is {}, expected {}", path,
                  key, lda::quoted(file.metadata(key)), value);
  }
}

Start start_of(const lda::SafetensorsFile& file) {
  for (const Start start : {Start::uniform, Start::progressive}) {
    if (file.metadata("start") == name(start)) return start;
  }
  file.fail(fmt::format("start is {}, expected uniform or progressive", lda::quoted(file.metadata("start"))));
}

ChainState load_one(const CorpusView& corpus, const TrainOptions& options, const lda::Metadata& expected,
                    const std::string& path) {
  lda::SafetensorsFile file(path, "load_checkpoint");
  require_identity(file, expected, path);
  if (file.metadata().size() != expected.size() + 3) {
    file.fail("the metadata has entries that a checkpoint does not have");
  }
  ChainState topics;
  topics.sweep = file.metadata_int("sweep");
  topics.beta = file.metadata_double("beta");
  topics.start = start_of(file);
  if (file.has_tensor("alpha")) {
    file.require_tensors({"alpha", "z"});
    topics.alpha = file.read<double>("alpha", {options.topics});
  } else {
    file.require_tensors({"z"});
  }
  topics.z = file.read_small_numbers("z", corpus.tokens(), options.topics);
  try {
    base::require(topics.sweep >= 0, "sweep is {}, expected 0 or more", topics.sweep);
    lda::require_topics(corpus, topics.z, options.topics, "load_checkpoint");
    require_priors(topics, options);
  } catch (const InvalidArgument& error) {
    file.fail(error.what());
  }
  return topics;
}

std::string_view without_caller(std::string_view message) {
  constexpr std::string_view caller = "papilio::load_checkpoint: ";
  return message.starts_with(caller) ? message.substr(caller.size()) : message;
}

// Whether the previous checkpoint may be better: the file is gone, or the disk has lost a part of it.
bool is_lost(const IoError& error) { return error.code == ENOENT || error.code == EIO; }

}  // namespace

std::string previous_checkpoint(const std::string& path) { return lda::follow_links(path) + previous_ending; }

// The previous one first: what is left of the two, if anything, is the newest.
void remove_checkpoint(const std::string& path) noexcept {
  try {
    lda::remove_abandoned(path);
    for (const std::string& file : {previous_checkpoint(path), lda::follow_links(path)}) ::unlink(file.c_str());
  } catch (const std::bad_alloc&) {
    return;
  }
}

void save_checkpoint(const ChainState& topics, const CorpusView& corpus, const TrainOptions& options,
                     const std::string& path) {
  lda::require_options(options, "save_checkpoint");
  base::require(topics.sweep >= 0, "papilio::save_checkpoint: sweep is {}, expected 0 or more", topics.sweep);
  lda::require_topics(corpus, topics.z, options.topics, "save_checkpoint");
  require_priors(topics, options);
  base::require(topics.start == Start::uniform || topics.start == Start::progressive,
                "papilio::save_checkpoint: the chain started as {}, expected uniform or progressive",
                name(topics.start));
  lda::Metadata metadata = identity(corpus, options, "save_checkpoint");
  metadata["sweep"] = std::to_string(topics.sweep);
  metadata["beta"] = fmt::format("{}", topics.beta);
  metadata["start"] = name(topics.start);
  std::vector<lda::TensorView> tensors;
  if (!topics.alpha.empty()) tensors.push_back(lda::tensor_view("alpha", {options.topics}, topics.alpha));
  tensors.push_back(lda::small_numbers_view("z", topics.z, options.topics));
  lda::write_safetensors(path, std::move(metadata), tensors, "save_checkpoint", previous_ending);
}

ChainState load_checkpoint(const CorpusView& corpus, const TrainOptions& options, const std::string& path,
                           CheckpointReport* report) {
  lda::require_options(options, "load_checkpoint");
  const lda::Metadata expected = identity(corpus, options, "load_checkpoint");
  const auto load = [&](const std::string& from, const std::string& damage) {
    ChainState topics = load_one(corpus, options, expected, from);
    if (report != nullptr) *report = {from, damage};
    return topics;
  };
  const auto load_previous = [&](const auto& newest) {
    try {
      return load(previous_checkpoint(path), newest.what());
    } catch (const IoError& error) {
      if (error.code == ENOENT) throw newest;  // no previous one: nothing to say about it
      throw;
    } catch (const Error& error) {
      throw FormatError(fmt::format("{}; and {}", newest.what(), without_caller(error.what())));
    }
  };
  try {
    return load(path, "");
  } catch (const OtherFormat&) {
    throw;
  } catch (const FormatError& error) {
    return load_previous(error);
  } catch (const IoError& error) {
    if (!is_lost(error)) throw;
    return load_previous(error);
  }
}

}  // namespace papilio
