#include "lda/evaluation/log_joint.h"

#include <atomic>
#include <cmath>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/function_ref.h"
#include "execution/check_view.h"
#include "execution/cpu/parallel_for.h"
#include "lda/evaluation/log_joint_terms.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

// The sum of sum_of(begin, end) over parts of [0, count).
std::int64_t sum_of_parts(std::int64_t count, std::int64_t grain, int threads,
                          base::FunctionRef<std::int64_t(std::int64_t, std::int64_t)> sum_of) {
  std::atomic<std::int64_t> total = 0;
  execution::parallel_for(count, grain, threads,
                          [&](std::int64_t begin, std::int64_t end) { total += sum_of(begin, end); });
  return total;
}

std::int64_t sum_of_documents(const CorpusView& corpus, const State& state, const LogJointTerms& terms, int threads) {
  return sum_of_parts(corpus.documents(), 256, threads, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> n_dk(static_cast<std::size_t>(state.topics));
    std::int64_t sum = 0;
    for (auto d = static_cast<std::size_t>(first); d < static_cast<std::size_t>(last); ++d) {
      const auto begin = static_cast<std::size_t>(corpus.document_offsets[d]);
      const auto end = static_cast<std::size_t>(corpus.document_offsets[d + 1]);
      for (std::size_t i = begin; i < end; ++i) {
        ++n_dk[static_cast<std::size_t>(state.z[i])];
      }
      sum -= terms.of_document(static_cast<std::int64_t>(end - begin));
      for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t k = state.z[i];
        std::int64_t& n = n_dk[static_cast<std::size_t>(k)];
        sum += terms.of_document_topic(n, k);  // 0 for a topic that has been met: its count is 0 by then
        n = 0;
      }
    }
    return sum;
  });
}

std::int64_t sum_of_words(std::span<const std::int32_t> n_wk, std::span<const std::int64_t> n_k,
                          const LogJointTerms& terms, int threads) {
  std::int64_t sum =
      sum_of_parts(static_cast<std::int64_t>(n_wk.size()), 4096, threads, [&](std::int64_t first, std::int64_t last) {
        std::int64_t part = 0;
        for (std::int64_t i = first; i < last; ++i) {
          const std::int32_t n = n_wk[static_cast<std::size_t>(i)];
          if (n != 0) {
            part += terms.of_word_topic(n);
          }
        }
        return part;
      });
  for (const std::int64_t n : n_k) {
    sum -= terms.of_topic(n);
  }
  return sum;
}

std::int64_t sum_of_document_rows(const TopicCounts& counts, const LogJointTerms& terms, int threads) {
  return sum_of_parts(counts.documents(), 256, threads, [&](std::int64_t first, std::int64_t last) {
    std::int64_t sum = 0;
    for (auto d = static_cast<std::size_t>(first); d < static_cast<std::size_t>(last); ++d) {
      std::int64_t tokens = 0;
      for (auto i = static_cast<std::size_t>(counts.document_offsets[d]);
           i < static_cast<std::size_t>(counts.document_offsets[d + 1]); ++i) {
        sum += terms.of_document_topic(counts.n_dk[i], counts.document_topics[i]);
        tokens += counts.n_dk[i];
      }
      sum -= terms.of_document(tokens);
    }
    return sum;
  });
}

}  // namespace

double log_joint(const CorpusView& corpus, const State& state, const Priors& priors, int threads, Communicator* ranks) {
  const LogJointTerms terms(state.tokens_of_all() + state.seeds.total(), corpus.vocabulary_size(), priors, 1024);
  std::int64_t of_documents = sum_of_documents(corpus, state, terms, threads);
  if (ranks != nullptr) ranks->add_up(std::span(&of_documents, 1));
  return terms.nats(of_documents + sum_of_words(state.n_wk, state.n_k, terms, threads) - terms.of_seeds(state.seeds));
}

}  // namespace papilio::lda

namespace papilio {
namespace {

using base::require;

bool is_prior(double value) { return 0 < value && value <= 1e6; }

void require_priors(const lda::Priors& priors) {
  for (std::size_t k = 0; k < priors.alpha.size(); ++k) {
    require(is_prior(priors.alpha[k]), "papilio::log_joint: alpha of topic {} is {}, expected 0 < alpha <= 1e6", k,
            priors.alpha[k]);
  }
  require(is_prior(priors.beta), "papilio::log_joint: beta is {}, expected 0 < beta <= 1e6", priors.beta);
}

double log_joint(const CorpusView& corpus, std::span<const std::int32_t> z, const lda::Priors& priors, int threads,
                 std::span<const SeedWord> seed_words = {}) {
  corpus.verify(threads);
  TrainOptions seeded;
  seeded.topics = static_cast<std::int32_t>(priors.alpha.size());
  seeded.seed_words.assign(seed_words.begin(), seed_words.end());
  lda::State state;
  state.seeds = lda::seeds_of_options(corpus, seeded, "log_joint");
  state.topics = static_cast<std::int32_t>(priors.alpha.size());
  lda::require_topics(corpus, z, state.topics, "log_joint");
  state.z.assign(z.begin(), z.end());
  state.count(corpus, threads);
  return lda::log_joint(corpus, state, priors, threads);
}

}  // namespace

double log_joint(const CorpusView& corpus, std::span<const std::int32_t> z, std::int32_t topics, double alpha,
                 double beta, int threads) {
  require(topics >= 1, "papilio::log_joint: topics is {}, expected at least 1", topics);
  require(is_prior(alpha), "papilio::log_joint: alpha is {}, expected 0 < alpha <= 1e6", alpha);
  const lda::Priors priors = {std::vector<double>(static_cast<std::size_t>(topics), alpha), beta};
  require_priors(priors);
  return log_joint(corpus, z, priors, threads);
}

double log_joint(const CorpusView& corpus, std::span<const std::int32_t> z, std::span<const double> topic_alpha,
                 double beta, int threads, std::span<const SeedWord> seed_words) {
  require(!topic_alpha.empty(), "papilio::log_joint: topic_alpha is empty, expected a prior for each topic");
  execution::require_span("log_joint", "topic_alpha", topic_alpha);
  execution::require_span("log_joint", "seed_words", seed_words);
  const lda::Priors priors = {{topic_alpha.begin(), topic_alpha.end()}, beta};
  require_priors(priors);
  return log_joint(corpus, z, priors, threads, seed_words);
}

double log_joint(const TopicCounts& counts, std::span<const double> topic_alpha, double beta, int threads) {
  counts.verify();
  require(topic_alpha.size() == counts.n_k.size(), "papilio::log_joint: topic_alpha has {} priors, expected K = {}",
          topic_alpha.size(), counts.n_k.size());
  execution::require_span("log_joint", "topic_alpha", topic_alpha);
  const lda::Priors priors = {{topic_alpha.begin(), topic_alpha.end()}, beta};
  require_priors(priors);
  const lda::LogJointTerms terms(counts.tokens(), counts.vocabulary_size(), priors, 1024);
  return terms.nats(lda::sum_of_document_rows(counts, terms, threads) +
                    lda::sum_of_words(counts.n_wk, counts.n_k, terms, threads));
}

}  // namespace papilio
