#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "lda/io/hash.h"
#include "lda/io/origin.h"
#include "lda/io/safetensors.h"
#include "lda/options.h"
#include "lda/state.h"
#include "papilio/error.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

// What a chain belongs to: a checkpoint holds these words, and fits only where all agree.
lda::Metadata identity(const CorpusView& corpus, const TrainOptions& options) {
  std::string vocabulary;
  for (const std::string& word : corpus.vocabulary) {
    vocabulary += fmt::format("{} {}", word.size(), word);
  }
  const auto hash = [](const auto& elements) { return lda::xxh3_128(std::as_bytes(std::span(elements))); };
  return {{"format", "papilio-checkpoint"},
          {"format_version", "1"},
          {"options.topics", std::to_string(options.topics)},
          {"options.alpha", fmt::format("{}", options.alpha)},
          {"options.beta", fmt::format("{}", options.beta)},
          {"options.seed", std::to_string(options.seed)},
          {"options.sampler", name(options.sampler)},
          {"corpus.documents", std::to_string(corpus.documents())},
          {"corpus.tokens", std::to_string(corpus.tokens())},
          {"corpus.vocabulary_size", std::to_string(corpus.vocabulary_size())},
          {"corpus.hash_of_document_offsets", hash(corpus.document_offsets)},
          {"corpus.hash_of_words", hash(corpus.words)},
          {"corpus.hash_of_vocabulary", hash(vocabulary)}};
}

}  // namespace

void save_checkpoint(const Topics& topics, const CorpusView& corpus, const TrainOptions& options,
                     const std::string& path) {
  lda::require_options(options, "save_checkpoint");
  base::require(topics.sweep >= 0, "papilio::save_checkpoint: sweep is {}, expected 0 or more", topics.sweep);
  lda::require_topics(corpus, topics.z, options.topics, "save_checkpoint");
  lda::Metadata metadata = identity(corpus, options);
  metadata["sweep"] = std::to_string(topics.sweep);
  lda::write_safetensors(path, std::move(metadata), {lda::tensor_view("z", {corpus.tokens()}, topics.z)},
                         "save_checkpoint");
}

Topics load_checkpoint(const CorpusView& corpus, const TrainOptions& options, const std::string& path) {
  lda::require_options(options, "load_checkpoint");
  lda::SafetensorsFile file(path, "load_checkpoint");
  const lda::Metadata expected = identity(corpus, options);
  for (const char* key : {"format", "format_version"}) {
    if (file.metadata(key) != expected.at(key)) {
      file.fail(fmt::format("{} is {}, expected {}", key, lda::quoted(file.metadata(key)), expected.at(key)));
    }
  }
  for (const auto& [key, value] : expected) {
    base::require(file.metadata(key) == value,
                  "papilio::load_checkpoint: {}: the checkpoint is of another run: {} is {}, expected {}", path, key,
                  lda::quoted(file.metadata(key)), value);
  }
  if (file.metadata().size() != expected.size() + 1) {
    file.fail("the metadata have entries that a checkpoint does not have");
  }
  file.require_tensors({"z"});
  Topics topics;
  topics.sweep = file.metadata_int("sweep");
  topics.z = file.read<std::int32_t>("z", {corpus.tokens()});
  try {
    base::require(topics.sweep >= 0, "sweep is {}, expected 0 or more", topics.sweep);
    lda::require_topics(corpus, topics.z, options.topics, "load_checkpoint");
  } catch (const InvalidArgument& error) {
    file.fail(error.what());
  }
  return topics;
}

}  // namespace papilio
