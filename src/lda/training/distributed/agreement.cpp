#include "lda/training/distributed/agreement.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lda/io/bytes/hash.h"
#include "lda/io/model/agreed.h"
#include "lda/io/model/corpus_identity.h"
#include "lda/model/priors.h"
#include "lda/model/seeds.h"
#include "papilio/distributed.h"

namespace papilio::lda {
namespace {

std::string hash_of_numbers(const auto& numbers) { return xxh3_128(std::as_bytes(std::span(numbers))); }

std::string seeds_text(const TrainOptions& options) {
  std::vector<std::int32_t> numbers;
  const Seeds seeds(options.seed_words, options.topics, "train");
  for (const SeedWord& seed : seeds.words()) numbers.insert(numbers.end(), {seed.topic, seed.word, seed.weight});
  return hash_of_numbers(numbers);
}

std::string_view writer_text(const TrainOptions& options) {
  if (options.checkpoint_writer == nullptr) return "none";
  return options.checkpoint_writer->is_over_ranks() ? "of ranks" : "of one process";
}

void add_held_out(Metadata& metadata, const TrainOptions& options) {
  const std::string none = "none";
  CorpusIdentity identity = {0, 0, 0, none, none, none};
  if (options.held_out) {
    const CorpusIdentity* const known = options.held_out_identity;
    identity = known != nullptr ? *known : identity_of(*options.held_out);
  }
  metadata["held_out.hash_of_document_offsets"] = identity.hash_of_document_offsets;
  metadata["held_out.hash_of_vocabulary"] = identity.hash_of_vocabulary;
  metadata["held_out.hash_of_words"] = identity.hash_of_words;
}

// A line for each value that must be the same: "key value".
std::string lines_of(const CorpusIdentity& corpus, const TrainOptions& options) {
  Metadata metadata;
  add_corpus_identity(metadata, corpus);
  add_held_out(metadata, options);
  metadata["options.topics"] = fmt::format("{}", options.topics);
  metadata["options.sweeps"] = fmt::format("{}", options.sweeps);
  metadata["options.alpha"] = hash_of_numbers(priors_of(options).alpha);
  metadata["options.beta"] = fmt::format("{}", options.beta);
  metadata["options.seed"] = fmt::format("{}", options.seed);
  metadata["options.seed_words"] = seeds_text(options);
  metadata["options.sampler"] = name(options.sampler);
  metadata["options.schedule"] = name(options.schedule);
  metadata["options.start"] = name(options.start);
  metadata["options.draws"] = name(options.draws);
  metadata["options.device"] = options.device.is_cpu() ? "cpu" : "cuda";
  metadata["options.mh_steps"] = fmt::format("{}", options.mh_steps);
  metadata["options.method"] = name(options.method);
  metadata["options.evaluate_every"] = fmt::format("{}", options.evaluate_every);
  metadata["options.optimize_every"] = fmt::format("{}", options.optimize_every);
  metadata["options.optimize_after"] = fmt::format("{}", options.optimize_after);
  metadata["options.held_out"] = options.held_out ? "given" : "none";
  metadata["options.held_out_every"] = fmt::format("{}", options.held_out_every);
  metadata["options.checkpoint"] = options.checkpoint ? "given" : "none";
  metadata["options.checkpoint_writer"] = writer_text(options);
  std::string lines;
  for (const auto& [key, value] : metadata) lines += fmt::format("{} {}\n", key, value);
  return lines;
}

}  // namespace

void require_agreement(const CorpusView& corpus, const TrainOptions& options) {
  const CorpusIdentity* const identity = options.corpus_identity;
  require_same_lines(lines_of(identity != nullptr ? *identity : identity_of(corpus), options), *options.ranks, "train");
}

}  // namespace papilio::lda
