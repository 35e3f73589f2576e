#include "lda/evaluation/log_joint.h"

#include <atomic>
#include <vector>

#include "base/check.h"
#include "base/function_ref.h"
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
        std::int64_t& n = n_dk[static_cast<std::size_t>(state.z[i])];
        sum += terms.of_document_topic(n);  // 0 for a topic met before: its count is 0 by then
        n = 0;
      }
    }
    return sum;
  });
}

std::int64_t sum_of_words(const State& state, std::int64_t words, const LogJointTerms& terms, int threads) {
  std::int64_t sum = sum_of_parts(words, 64, threads, [&](std::int64_t first, std::int64_t last) {
    std::int64_t part = 0;
    for (std::int64_t i = first * state.topics; i < last * state.topics; ++i) {
      const std::int32_t n = state.n_wk[static_cast<std::size_t>(i)];
      if (n != 0) {
        part += terms.of_word_topic(n);
      }
    }
    return part;
  });
  for (const std::int64_t n : state.n_k) {
    sum -= terms.of_topic(n);
  }
  return sum;
}

}  // namespace

double log_joint(const CorpusView& corpus, const State& state, double alpha, double beta, int threads) {
  const LogJointTerms terms(corpus, state.topics, alpha, beta, 1024);
  return terms.nats(sum_of_documents(corpus, state, terms, threads) +
                    sum_of_words(state, corpus.vocabulary_size(), terms, threads));
}

}  // namespace papilio::lda

namespace papilio {

double log_joint(const CorpusView& corpus, const std::vector<std::int32_t>& z, std::int32_t topics, double alpha,
                 double beta, int threads) {
  base::require(topics >= 1, "papilio::log_joint: topics is {}, expected at least 1", topics);
  base::require(0 < alpha && alpha <= 1e6, "papilio::log_joint: alpha is {}, expected 0 < alpha <= 1e6", alpha);
  base::require(0 < beta && beta <= 1e6, "papilio::log_joint: beta is {}, expected 0 < beta <= 1e6", beta);
  corpus.verify();
  lda::require_topics(corpus, z, topics, "log_joint");
  lda::State state;
  state.topics = topics;
  state.z = z;
  state.count(lda::group_by_word(corpus, threads), threads);
  return lda::log_joint(corpus, state, alpha, beta, threads);
}

}  // namespace papilio
