#include "lda/evaluation/document_completion.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "execution/cpu/parallel_for.h"
#include "lda/evaluation/evaluation_on_device.h"
#include "lda/evaluation/known_document.h"
#include "lda/evaluation/listed_phi.h"
#include "lda/model/checked_on_threads.h"

namespace papilio::lda {
namespace {

// ln of the probability of tokens 1, 3, 5, ..., given the theta that follows from tokens 0, 2, 4, ...
double score(const KnownDocument& document, int em_steps, ListedPhi& phi, std::vector<double>& theta) {
  std::vector<std::int32_t> seen(document.words.size());
  for (std::size_t i = 0; i < document.tokens.size(); i += 2) {
    ++seen[static_cast<std::size_t>(document.tokens[i])];
  }
  phi.set_words(document);
  phi.fold_in(seen, em_steps, theta);
  double sum = 0;
  for (std::size_t i = 1; i < document.tokens.size(); i += 2) {
    sum += std::log(phi.probability(document.tokens[i]));
  }
  return sum;
}

}  // namespace

void require_options(const CompletionOptions& options) {
  base::require(options.em_steps >= 1, "papilio::complete_documents: em_steps is {}, expected at least 1",
                options.em_steps);
}

void score_documents(const Model& model, const CorpusView& corpus, const WordMap& map, const CompletionOptions& options,
                     std::int64_t first, std::int64_t behind, std::span<std::int64_t> lengths,
                     std::span<double> scores) {
  execution::parallel_for(behind - first, 4, options.threads, [&](std::int64_t begin, std::int64_t end) {
    ListedPhi phi(model);
    std::vector<double> theta;
    for (std::int64_t d = first + begin; d < first + end; ++d) {
      KnownDocument document =
          options.shuffle ? known_document(corpus, map, d) : known_document_in_order(corpus, map, d);
      if (options.shuffle) {
        shuffle_tokens(document, options.seed);
      }
      lengths[static_cast<std::size_t>(d)] = document.size();
      if (document.size() >= 2) {
        scores[static_cast<std::size_t>(d)] = score(document, options.em_steps, phi, theta);
      }
    }
  });
}

Completion complete_documents(const Model& model, const CorpusView& corpus, const WordMap& map,
                              const CompletionOptions& options) {
  const auto documents = static_cast<std::size_t>(corpus.documents());
  std::vector<std::int64_t> lengths(documents);
  std::vector<double> scores(documents);
  if (!options.device.is_cpu()) {
    score_on_device(model, corpus, map, options, lengths, scores);
    return completion_of(lengths, scores, map);
  }
  score_documents(model, corpus, map, options, 0, corpus.documents(), lengths, scores);
  return completion_of(lengths, scores, map);
}

std::int64_t documents_to_score(const CorpusView& corpus, const WordMap& map) {
  std::int64_t documents = 0;
  for (std::size_t d = 1; d < corpus.document_offsets.size(); ++d) {
    const auto known = std::count_if(
        corpus.words.begin() + corpus.document_offsets[d - 1], corpus.words.begin() + corpus.document_offsets[d],
        [&](std::int32_t word) { return map.model_words[static_cast<std::size_t>(word)] >= 0; });
    documents += known >= 2 ? 1 : 0;
  }
  return documents;
}

Completion completion_of(std::span<const std::int64_t> lengths, std::span<const double> scores, const WordMap& map) {
  Completion result;
  result.unknown_tokens = map.unknown_tokens;
  for (std::size_t d = 0; d < lengths.size(); ++d) {
    if (lengths[d] < 2) {
      ++result.left_out;
      continue;
    }
    ++result.documents;
    result.tokens_seen += (lengths[d] + 1) / 2;
    result.tokens += lengths[d] / 2;
    result.log_likelihood += scores[d];
  }
  return result;
}

}  // namespace papilio::lda

namespace papilio {

double Completion::perplexity() const { return std::exp(nats_per_token()); }

Completion complete_documents(const Model& model, const CorpusView& corpus, const CompletionOptions& options) {
  lda::require_options(options);
  lda::require_model(model, "complete_documents");
  return lda::complete_documents(model, corpus, lda::map_words(model, corpus, options.threads), options);
}

}  // namespace papilio
