#include <memory>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/choices.h"
#include "execution/cpu/fresh_memory.h"
#include "execution/cpu/interruption.h"
#include "execution/cpu/parallel_for.h"
#include "lda/evaluation/counted_words.h"
#include "lda/evaluation/document_completion.h"
#include "lda/evaluation/evaluation_on_device.h"
#include "lda/evaluation/fixed_phi.h"
#include "lda/evaluation/fold_in/fixed_phi_formulas.h"
#include "lda/evaluation/known_document.h"
#include "lda/evaluation/listed_phi.h"
#include "lda/evaluation/topic_draws.h"
#include "papilio/evaluation.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio {
namespace {

using base::require;

constexpr Choice<InferMethod> methods[] = {
    {InferMethod::gibbs, "gibbs", "the posterior mean of theta, from samples of the tokens' topics"},
    {InferMethod::em, "em", "a fixed point, without random numbers"},
};

void require_options(const InferOptions& options) {
  base::require_known(methods, options.method, "infer", "method");
  require(options.sweeps >= 1, "papilio::infer: sweeps is {}, expected at least 1", options.sweeps);
  require(0 <= options.burn_in && options.burn_in < options.sweeps,
          "papilio::infer: burn_in is {}, expected 0 <= burn_in < sweeps = {}", options.burn_in, options.sweeps);
  require(options.em_steps >= 1, "papilio::infer: em_steps is {}, expected at least 1", options.em_steps);
}

// Sweep 0 gives the tokens their first topics, each token by those before it.
void sweep(const lda::KnownDocument& document, const lda::FixedPhi& phi, std::uint64_t seed, int number,
           lda::TopicDraws& topics, std::vector<std::int32_t>& z) {
  const std::uint64_t stream = random::stream(random::Purpose::infer_topics, static_cast<std::uint32_t>(number));
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (i % 256 == 0) execution::stop_point();
    if (number > 0) {
      topics.remove(z[i]);
    }
    const random::Block block = random::draw_block(seed, stream, document.key + i);
    z[i] = topics.draw(phi, document.tokens[i], random::uniform53(block.word[0], block.word[1]));
    topics.add(z[i]);
  }
}

void infer_gibbs(const lda::KnownDocument& document, const lda::FixedPhi& phi, const InferOptions& options,
                 float* theta) {
  lda::TopicDraws topics(phi.topics());
  std::vector<std::int32_t> z(document.tokens.size());
  std::vector<std::int64_t> sums(static_cast<std::size_t>(phi.topics()));  // of the topics' counts over the samples
  for (int number = 0; number <= options.sweeps; ++number) {
    sweep(document, phi, options.seed, number, topics, z);
    if (number > options.burn_in) {
      topics.for_each_present([&](std::int32_t k, std::int32_t count) { sums[static_cast<std::size_t>(k)] += count; });
    }
  }
  const double samples = options.sweeps - options.burn_in;
  const double total = static_cast<double>(document.size()) + phi.alpha_sum();
  for (std::size_t k = 0; k < sums.size(); ++k) {
    theta[k] = lda::mean_theta(sums[k], samples, phi.alpha()[k], total);
  }
}

void infer_em(const lda::KnownDocument& document, const InferOptions& options, lda::ListedPhi& phi,
              std::vector<double>& scratch, float* theta) {
  phi.fold_in(document.counts, options.em_steps, scratch);
  for (std::size_t k = 0; k < scratch.size(); ++k) {
    theta[k] = static_cast<float>(scratch[k]);
  }
}

// Options, model and corpus have been checked.
DocumentTopics infer_documents(const Model& model, const lda::CountedWords& words, const CorpusView& corpus,
                               const InferOptions& options) {
  const lda::MappedWords mapped(words, corpus);
  const WordMap& map = mapped.map;
  words.require_words_for(corpus, map, "infer");
  DocumentTopics result;
  result.documents = corpus.documents();
  result.topics = model.topics;
  result.unknown_words = map.unknown_words;
  result.unknown_tokens = mapped.unknown_tokens;
  result.known_tokens = corpus.tokens() - result.unknown_tokens;
  execution::make_zeros(result.theta,
                        static_cast<std::size_t>(result.documents) * static_cast<std::size_t>(model.topics),
                        options.threads);
  result.document_tokens.resize(static_cast<std::size_t>(result.documents));
  if (!options.device.is_cpu()) {
    lda::infer_on_device(model, corpus, map, options, result);
    return result;
  }
  execution::parallel_for(corpus.documents(), 4, options.threads, [&](std::int64_t begin, std::int64_t end) {
    std::optional<lda::FixedPhi> phi;
    std::optional<lda::ListedPhi> listed;
    std::vector<double> scratch;
    const bool gibbs = options.method == InferMethod::gibbs;
    if (gibbs) {
      phi.emplace(model);
    } else {
      listed.emplace(model);
    }
    for (std::int64_t d = begin; d < end; ++d) {
      const lda::KnownDocument document = lda::known_document(corpus, map, d);
      result.document_tokens[static_cast<std::size_t>(d)] = document.size();
      float* theta = result.theta.data() + d * model.topics;
      if (gibbs) {
        phi->set_words(document);
        infer_gibbs(document, *phi, options, theta);
      } else {
        listed->set_words(document);
        infer_em(document, options, *listed, scratch, theta);
      }
    }
  });
  return result;
}

}  // namespace

std::span<const Choice<InferMethod>> infer_methods() noexcept { return methods; }

std::string_view name(InferMethod method) noexcept { return base::name_in(methods, method); }

InferMethod parse_infer_method(std::string_view name) {
  return base::parse_in(methods, name, "parse_infer_method", "method");
}

const float* DocumentTopics::row(std::int64_t document) const {
  require(0 <= document && document < documents,
          "papilio::DocumentTopics::row: document {}, expected 0 <= document < {}", document, documents);
  const auto begin = static_cast<std::size_t>(document) * static_cast<std::size_t>(topics);
  require(begin + static_cast<std::size_t>(topics) <= theta.size(),
          "papilio::DocumentTopics::row: theta has {} numbers, expected {} documents x {} topics", theta.size(),
          documents, topics);
  return theta.data() + begin;
}

DocumentTopics infer(const Model& model, const CorpusView& corpus, const InferOptions& options) {
  require_options(options);
  lda::require_model(model, "infer");
  corpus.verify(options.threads);
  return infer_documents(model, lda::CountedWords(model), corpus, options);
}

Inference::Inference(const Model& model) {
  lda::require_model(model, "Inference");
  prepared_ = std::make_shared<const Prepared>(model);
}

DocumentTopics Inference::infer(const CorpusView& corpus, const InferOptions& options) const {
  require_options(options);
  corpus.verify(options.threads);
  return infer_documents(prepared_->model, prepared_->words, corpus, options);
}

Completion Inference::complete_documents(const CorpusView& corpus, const CompletionOptions& options) const {
  lda::require_options(options);
  corpus.verify(options.threads);
  const lda::MappedWords words(prepared_->words, corpus);
  Completion result = lda::complete_documents(prepared_->model, corpus, words.map, options);
  result.unknown_tokens = words.unknown_tokens;
  return result;
}

const Model& Inference::model() const { return prepared_->model; }

}  // namespace papilio
