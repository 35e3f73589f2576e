#include "lda/io/model/checkpoint_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/check.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/model/corpus_identity.h"
#include "lda/io/model/other_format.h"
#include "lda/model/options.h"
#include "lda/model/priors.h"
#include "lda/model/state.h"
#include "papilio/distributed.h"

namespace papilio::lda {
namespace {

std::string digits_of(const auto& elements) { return xxh3_128(std::as_bytes(std::span(elements))); }

// The same text for the same priors of topics, whichever way the options give them.
std::string alpha_text(const TrainOptions& options) {
  const Priors priors = priors_of(options);
  return priors.is_symmetric() ? fmt::format("{}", priors.alpha.front())
                               : fmt::format("one for each topic, {}", digits_of(priors.alpha));
}

constexpr const char* seed_words_key = "options.seed_words";  // present only if there are seed words

// "12 words in 3 topics, HASH", whatever their order in the options.
std::string seed_words_text(const Seeds& seeds) {
  std::vector<std::int32_t> numbers;
  for (const SeedWord& seed : seeds.words()) numbers.insert(numbers.end(), {seed.topic, seed.word, seed.weight});
  const auto topics = std::count_if(seeds.s_k().begin(), seeds.s_k().end(), [](std::int64_t s) { return s > 0; });
  return fmt::format("{} words in {} topics, {}", seeds.words().size(), topics, digits_of(numbers));
}

}  // namespace

Metadata checkpoint_identity(const CorpusView& corpus, const TrainOptions& options, const CorpusIdentity* of_corpus,
                             const char* caller) {
  Metadata metadata = {
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
      {"options.draws", std::string(name(draws_of(options, corpus.tokens())))}};
  if (options.draws == Draws::alias) metadata["options.mh_steps"] = std::to_string(options.mh_steps);
  add_corpus_identity(metadata, known_identity(corpus, options, of_corpus, caller));
  const Seeds seeds = seeds_of_options(corpus, options, caller);
  if (!seeds.empty()) metadata[seed_words_key] = seed_words_text(seeds);
  return metadata;
}

std::string hash_of_identity(const Metadata& identity) {
  std::string text;
  for (const auto& [key, value] : identity) text += fmt::format("{} {}\n", key, value);
  return digits_of(text);
}

void require_identity(const SafetensorsFile& file, const Metadata& expected, const std::string& path) {
  for (const char* key : {"format", "format_version"}) {
    if (file.metadata(key) != expected.at(key)) {
      throw OtherFormat(fmt::format("papilio::load_checkpoint: {}: {} is {}, expected {}", path, key,
                                    lda::quoted(file.metadata(key)), expected.at(key)));
    }
  }
  for (const auto& [key, value] : expected) {
    if (key.starts_with("corpus.")) file.metadata(key);  // throws FormatError where it is missing
  }
  require_same_corpus(file.metadata(), expected,
                      fmt::format("papilio::load_checkpoint: {}: the checkpoint belongs to", path));
  const auto seeds_in = [](const Metadata& metadata) {
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

void require_checkpoint_priors(const ChainState& chain, const TrainOptions& options) {
  const auto is_prior = [](double value) { return value > 0 && value <= std::numeric_limits<double>::max(); };
  base::require(chain.alpha.empty() || std::ssize(chain.alpha) == options.topics,
                "alpha has {} entries, expected one per topic, {}, or none", chain.alpha.size(), options.topics);
  base::require(std::all_of(chain.alpha.begin(), chain.alpha.end(), is_prior),
                "alpha has an entry that is not finite and above 0");
  base::require(chain.beta == 0 || is_prior(chain.beta), "beta is {}, expected a finite number of 0 or more",
                chain.beta);
}

RankDocuments own_documents(const CorpusView& corpus, const TrainOptions& options) {
  if (!trains_over_ranks(options)) return documents_of_rank(corpus, 0, 1);
  return documents_of_rank(corpus, options.ranks->rank(), options.ranks->ranks());
}

void require_own_topics(const CorpusView& corpus, const TrainOptions& options, const ChainState& chain,
                        const char* caller) {
  const RankDocuments own = own_documents(corpus, options);
  CorpusView part = corpus;
  part.words = corpus.words.subspan(static_cast<std::size_t>(own.first_token), static_cast<std::size_t>(own.tokens()));
  require_topics(part, chain.z, options.topics, caller);
}

}  // namespace papilio::lda
