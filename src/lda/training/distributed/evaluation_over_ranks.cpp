#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "execution/ranks/collectives.h"
#include "execution/ranks/work_of_rank.h"
#include "lda/corpus/part_of_rank.h"
#include "lda/evaluation/counted_words.h"
#include "lda/evaluation/document_completion.h"
#include "lda/evaluation/evaluation_on_device.h"
#include "lda/evaluation/fixed_phi.h"
#include "lda/evaluation/known_document.h"
#include "lda/io/model/agreed.h"
#include "lda/io/model/corpus_identity.h"
#include "lda/model/checked_on_threads.h"
#include "papilio/distributed.h"
#include "papilio/model.h"

namespace papilio {
namespace {

using execution::work_of_rank;

// identity: that of the corpus, if this rank has verified its own documents; null: all of them are verified here.
void require_same_question(const std::string& hash_of_model, const CorpusView& corpus, const CorpusIdentity* identity,
                           int threads, const std::string& options, Communicator& ranks, const char* function) {
  lda::Metadata metadata;
  if (identity != nullptr) {
    lda::require_sizes(*identity, corpus, function);
    lda::add_corpus_identity(metadata, *identity);
  } else {
    corpus.verify(threads);
    lda::add_corpus_identity(metadata, corpus);
  }
  metadata["model.hash"] = hash_of_model;
  std::string lines;
  for (const auto& [key, value] : metadata) lines += fmt::format("{} {}\n", key, value);
  lda::require_same_lines(lines + options, ranks, function);
}

// Appends the numbers that the ranks sent, in their order. Each part is freed when it has been copied.
template <class Number>
std::vector<Number> joined(std::vector<std::vector<std::byte>> parts) {
  std::size_t bytes = 0;
  for (const std::vector<std::byte>& part : parts) bytes += part.size();
  std::vector<Number> all;
  all.reserve(bytes / sizeof(Number));
  for (std::vector<std::byte>& part : parts) {
    const std::vector<std::byte> own = std::move(part);
    const auto* numbers = reinterpret_cast<const Number*>(own.data());
    if (!own.empty()) all.insert(all.end(), numbers, numbers + own.size() / sizeof(Number));
  }
  return all;
}

std::int64_t sum(std::int64_t number, Communicator& ranks) {
  ranks.add_up(std::span(&number, 1));
  return number;
}

// infer_part(corpus) infers the topics of this rank's documents.
template <class InferPart>
DocumentTopics infer_over_ranks(const std::string& hash_of_model, const CorpusView& corpus, const InferOptions& options,
                                Communicator& ranks, const InferPart& infer_part) {
  require_same_question(
      hash_of_model, corpus, options.corpus_identity, options.threads,
      fmt::format("options.method {}\noptions.sweeps {}\noptions.burn_in {}\noptions.em_steps {}\n"
                  "options.seed {}\n",
                  name(options.method), options.sweeps, options.burn_in, options.em_steps, options.seed),
      ranks, "infer");
  const lda::PartOfRank part(corpus, ranks.rank(), ranks.ranks());
  DocumentTopics result = infer_part(part.view());
  result.known_tokens = sum(result.known_tokens, ranks);
  result.unknown_tokens = sum(result.unknown_tokens, ranks);
  result.document_tokens =
      joined<std::int64_t>(ranks.gather(std::as_bytes(std::span(std::as_const(result.document_tokens))), 0));
  result.theta = joined<float>(ranks.gather(std::as_bytes(std::span(std::as_const(result.theta))), 0));
  result.documents = ranks.rank() == 0 ? corpus.documents() : 0;
  return result;
}

// score_part(corpus, lengths, scores) scores this rank's documents and returns the number of their unknown tokens.
template <class ScorePart>
Completion complete_over_ranks(const std::string& hash_of_model, const CorpusView& corpus,
                               const CompletionOptions& options, Communicator& ranks, const ScorePart& score_part) {
  require_same_question(hash_of_model, corpus, options.corpus_identity, options.threads,
                        fmt::format("options.em_steps {}\noptions.seed {}\noptions.shuffle {}\n", options.em_steps,
                                    options.seed, options.shuffle),
                        ranks, "complete_documents");
  const lda::PartOfRank part(corpus, ranks.rank(), ranks.ranks());
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(part.view().documents()));
  std::vector<double> scores(lengths.size());
  WordMap all;
  all.unknown_tokens = sum(score_part(part.view(), lengths, scores), ranks);
  return lda::completion_of(execution::join_everywhere(ranks, std::span<const std::int64_t>(lengths)),
                            execution::join_everywhere(ranks, std::span<const double>(scores)), all);
}

void score(const Model& model, const CorpusView& corpus, const WordMap& map, const CompletionOptions& options,
           std::span<std::int64_t> lengths, std::span<double> scores) {
  if (options.device.is_cpu()) {
    lda::score_documents(model, corpus, map, options, 0, corpus.documents(), lengths, scores);
  } else {
    lda::score_on_device(model, corpus, map, options, lengths, scores);
  }
}

}  // namespace

DocumentTopics infer(const Model& model, const CorpusView& corpus, const InferOptions& options, Communicator& ranks) {
  return work_of_rank(ranks, [&] {
    return infer_over_ranks(model_hash(model), corpus, options, ranks,
                            [&](const CorpusView& part) { return infer(model, part, options); });
  });
}

DocumentTopics Inference::infer(const CorpusView& corpus, const InferOptions& options, Communicator& ranks) const {
  return work_of_rank(ranks, [&] {
    return infer_over_ranks(prepared_->hash(), corpus, options, ranks,
                            [&](const CorpusView& part) { return infer(part, options); });
  });
}

Completion complete_documents(const Model& model, const CorpusView& corpus, const CompletionOptions& options,
                              Communicator& ranks) {
  return work_of_rank(ranks, [&] {
    lda::require_options(options);
    lda::require_model(model, "complete_documents");
    return complete_over_ranks(model_hash(model), corpus, options, ranks,
                               [&](const CorpusView& part, auto& lengths, auto& scores) {
                                 const WordMap map = lda::map_words(model, part, options.threads);
                                 score(model, part, map, options, lengths, scores);
                                 return map.unknown_tokens;
                               });
  });
}

Completion Inference::complete_documents(const CorpusView& corpus, const CompletionOptions& options,
                                         Communicator& ranks) const {
  return work_of_rank(ranks, [&] {
    lda::require_options(options);
    return complete_over_ranks(prepared_->hash(), corpus, options, ranks,
                               [&](const CorpusView& part, auto& lengths, auto& scores) {
                                 const lda::MappedWords words(prepared_->words, part);
                                 score(prepared_->model, part, words.map, options, lengths, scores);
                                 return words.unknown_tokens;
                               });
  });
}

LeftToRight left_to_right(const Model& model, const CorpusView& corpus, const LeftToRightOptions& options,
                          Communicator& ranks) {
  return work_of_rank(ranks, [&] {
    require_same_question(model_hash(model), corpus, options.corpus_identity, options.threads,
                          fmt::format("options.particles {}\noptions.seed {}\n", options.particles, options.seed),
                          ranks, "left_to_right");
    const lda::PartOfRank part(corpus, ranks.rank(), ranks.ranks());
    LeftToRight result = left_to_right(model, part.view(), options);
    result.tokens = sum(result.tokens, ranks);
    result.unknown_tokens = sum(result.unknown_tokens, ranks);
    result.log_likelihoods = execution::join_everywhere(ranks, std::span<const double>(result.log_likelihoods));
    result.log_likelihood = 0;
    for (const double log_likelihood : result.log_likelihoods) result.log_likelihood += log_likelihood;
    return result;
  });
}

}  // namespace papilio
