#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "lda/io/bytes/atomic_file.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/model/agreed.h"
#include "lda/io/model/checkpoint_parts.h"
#include "lda/io/model/corpus_identity.h"
#include "lda/io/model/other_format.h"
#include "lda/io/model/safetensors.h"
#include "lda/model/options.h"
#include "lda/model/priors.h"
#include "lda/model/state.h"
#include "papilio/distributed.h"
#include "papilio/error.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

constexpr const char* previous_ending = ".previous";

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

CorpusIdentity checked_identity(const CorpusView& corpus, const CorpusIdentity* known, const char* caller) {
  if (known == nullptr) return identity_of(corpus);
  const auto sizes = [](std::int64_t documents, std::int64_t tokens, std::int64_t words) {
    return fmt::format("{} documents, {} tokens and {} words", documents, tokens, words);
  };
  const std::string of_identity = sizes(known->documents, known->tokens, known->vocabulary_size);
  const std::string of_corpus = sizes(corpus.documents(), corpus.tokens(), corpus.vocabulary_size());
  base::require(of_identity == of_corpus, "papilio::{}: the identity is that of {}, expected {}", caller, of_identity,
                of_corpus);
  return *known;
}

// What decides how a chain goes on: a checkpoint holds these words, and fits only where all agree.
lda::Metadata identity(const CorpusView& corpus, const TrainOptions& options, const CorpusIdentity* of_corpus,
                       const char* caller) {
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
  lda::add_corpus_identity(metadata, checked_identity(corpus, of_corpus, caller));
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
      throw lda::OtherFormat(fmt::format("papilio::load_checkpoint: {}: {} is {}, expected {}", path, key,
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

std::string_view without_caller(std::string_view message) {
  constexpr std::string_view caller = "papilio::load_checkpoint: ";
  return message.starts_with(caller) ? message.substr(caller.size()) : message;
}

constexpr const char* first_tokens = "first_tokens";  // a tensor: of each rank that has a part, and the end

// The ranks that share a checkpoint; null for one process.
Communicator* ranks_of(const TrainOptions& options) {
  return lda::trains_over_ranks(options) ? options.ranks : nullptr;
}

// Which tokens' topics this process has.
RankDocuments own_documents(const CorpusView& corpus, const TrainOptions& options) {
  const Communicator* const ranks = ranks_of(options);
  return ranks == nullptr ? documents_of_rank(corpus, 0, 1) : documents_of_rank(corpus, ranks->rank(), ranks->ranks());
}

void require_topics(const RankDocuments& own, const ChainState& chain, const CorpusView& corpus,
                    const TrainOptions& options, const char* caller) {
  CorpusView part = corpus;
  part.words = corpus.words.subspan(static_cast<std::size_t>(own.first_token), static_cast<std::size_t>(own.tokens()));
  lda::require_topics(part, chain.z, options.topics, caller);
}

// One text for what decides how a chain goes on.
std::string hash_of_identity(const lda::Metadata& identity) {
  std::string text;
  for (const auto& [key, value] : identity) text += fmt::format("{} {}\n", key, value);
  return hash_of(text);
}

// The topics of a checkpoint by several ranks.
std::vector<std::int32_t> topics_of_parts(lda::SafetensorsFile& file, const CorpusView& corpus,
                                          const TrainOptions& options, const lda::Metadata& expected,
                                          const std::string& path, std::int64_t sweep, const RankDocuments& own) {
  const lda::Shape shape = file.shape(first_tokens);
  if (shape.size() != 1) file.fail("first_tokens is not a list");
  // The checkpoint before has been renamed, its parts have not.
  const std::string checkpoint =
      path.ends_with(previous_ending) ? path.substr(0, path.size() - std::string_view(previous_ending).size()) : path;
  const lda::PartsOfCheckpoint parts = {checkpoint, hash_of_identity(expected), sweep, options.topics,
                                        file.read<std::int64_t>(first_tokens, shape)};
  if (parts.ranks() < 1 || parts.first_tokens.front() != 0 || parts.first_tokens.back() != corpus.tokens() ||
      !std::is_sorted(parts.first_tokens.begin(), parts.first_tokens.end())) {
    file.fail("first_tokens are not those of parts of the corpus");
  }
  try {
    return lda::read_parts(parts, own.first_token, own.end_token);
  } catch (const IoError& error) {
    file.fail(fmt::format("a part is missing: {}", without_caller(error.what())));
  }
}

ChainState load_one(const CorpusView& corpus, const TrainOptions& options, const lda::Metadata& expected,
                    const std::string& path) {
  const RankDocuments own = own_documents(corpus, options);
  lda::SafetensorsFile file(path, "load_checkpoint");
  require_identity(file, expected, path);
  if (file.metadata().size() != expected.size() + 3) {
    file.fail("the metadata has entries that a checkpoint does not have");
  }
  ChainState topics;
  topics.sweep = file.metadata_int("sweep");
  topics.beta = file.metadata_double("beta");
  topics.start = start_of(file);
  const char* const of_topics = file.has_tensor(first_tokens) ? first_tokens : "z";
  if (file.has_tensor("alpha")) {
    file.require_tensors({"alpha", of_topics});
    topics.alpha = file.read<double>("alpha", {options.topics});
  } else {
    file.require_tensors({of_topics});
  }
  if (of_topics == first_tokens) {
    topics.z = topics_of_parts(file, corpus, options, expected, path, topics.sweep, own);
  } else {
    topics.z = file.read_small_numbers("z", corpus.tokens(), options.topics);
    topics.z.erase(topics.z.begin() + own.end_token, topics.z.end());
    topics.z.erase(topics.z.begin(), topics.z.begin() + own.first_token);
  }
  try {
    base::require(topics.sweep >= 0, "sweep is {}, expected 0 or more", topics.sweep);
    require_topics(own, topics, corpus, options, "load_checkpoint");
    require_priors(topics, options);
  } catch (const InvalidArgument& error) {
    file.fail(error.what());
  }
  return topics;
}

// Whether the previous checkpoint may be better: the file is gone, or the disk has lost a part of it.
bool is_lost(const IoError& error) { return error.code == ENOENT || error.code == EIO; }

// Each rank its part; then rank 0 the checkpoint, which has no topics but names the parts. Until it is in place, the
// checkpoint before is whole, and so is the one before that.
void save_over_ranks(const ChainState& topics, lda::Metadata metadata, const lda::Metadata& identity,
                     const CorpusView& corpus, const TrainOptions& options, const std::string& path) {
  Communicator& ranks = *options.ranks;
  lda::PartsOfCheckpoint parts = {path, hash_of_identity(identity), topics.sweep, options.topics, {0}};
  for (int r = 0; r < ranks.ranks(); ++r) {
    parts.first_tokens.push_back(documents_of_rank(corpus, r, ranks.ranks()).end_token);
  }
  lda::agreed(&ranks, [&] { lda::write_part(parts, ranks.rank(), topics.z); });
  lda::agreed(&ranks, [&] {
    if (ranks.rank() != 0) return;
    std::vector<lda::TensorView> tensors;
    if (!topics.alpha.empty()) tensors.push_back(lda::tensor_view("alpha", {options.topics}, topics.alpha));
    const std::int64_t size = std::ssize(parts.first_tokens);
    tensors.push_back(lda::tensor_view(first_tokens, {size}, parts.first_tokens));
    lda::write_safetensors(path, std::move(metadata), tensors, "save_checkpoint", previous_ending);
    std::set<std::int64_t> kept = {topics.sweep};
    try {
      kept.insert(lda::SafetensorsFile(previous_checkpoint(path), "save_checkpoint").metadata_int("sweep"));
    } catch (const Error&) {  // none, or no whole one
    }
    lda::remove_parts(path, kept);
  });
}

}  // namespace

std::string previous_checkpoint(const std::string& path) { return lda::follow_links(path) + previous_ending; }

// The previous one first: what is left of the two, if anything, is the newest.
void remove_checkpoint(const std::string& path) noexcept {
  try {
    lda::remove_abandoned(path);
    for (const std::string& file : {previous_checkpoint(path), lda::follow_links(path)}) ::unlink(file.c_str());
    lda::remove_parts(path, {});
  } catch (const std::bad_alloc&) {
    return;
  }
}

void save_checkpoint(const ChainState& topics, const CorpusView& corpus, const TrainOptions& options,
                     const std::string& path, const CorpusIdentity* of_corpus) {
  lda::require_options(options, "save_checkpoint");
  base::require(topics.sweep >= 0, "papilio::save_checkpoint: sweep is {}, expected 0 or more", topics.sweep);
  require_topics(own_documents(corpus, options), topics, corpus, options, "save_checkpoint");
  require_priors(topics, options);
  base::require(topics.start == Start::uniform || topics.start == Start::progressive,
                "papilio::save_checkpoint: the chain started as {}, expected uniform or progressive",
                name(topics.start));
  const lda::Metadata of_run = identity(corpus, options, of_corpus, "save_checkpoint");
  lda::Metadata metadata = of_run;
  metadata["sweep"] = std::to_string(topics.sweep);
  metadata["beta"] = fmt::format("{}", topics.beta);
  metadata["start"] = name(topics.start);
  if (ranks_of(options) != nullptr) return save_over_ranks(topics, metadata, of_run, corpus, options, path);
  std::vector<lda::TensorView> tensors;
  if (!topics.alpha.empty()) tensors.push_back(lda::tensor_view("alpha", {options.topics}, topics.alpha));
  tensors.push_back(lda::small_numbers_view("z", topics.z, options.topics));
  lda::write_safetensors(path, std::move(metadata), tensors, "save_checkpoint", previous_ending);
}

ChainState load_checkpoint(const CorpusView& corpus, const TrainOptions& options, const std::string& path,
                           CheckpointReport* report, const CorpusIdentity* of_corpus) {
  lda::require_options(options, "load_checkpoint");
  const lda::Metadata expected = identity(corpus, options, of_corpus, "load_checkpoint");
  const auto load = [&](const std::string& from, const std::string& damage) {
    ChainState topics;
    lda::agreed(ranks_of(options), [&] { topics = load_one(corpus, options, expected, from); });
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
  } catch (const lda::OtherFormat&) {
    throw;
  } catch (const FormatError& error) {
    return load_previous(error);
  } catch (const IoError& error) {
    if (!is_lost(error)) throw;
    return load_previous(error);
  }
}

}  // namespace papilio
