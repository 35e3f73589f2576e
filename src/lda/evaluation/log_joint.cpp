#include "lda/evaluation/log_joint.h"

#include <math.h>  // lgamma_r: lgamma writes a global

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "base/function_ref.h"
#include "base/math.h"
#include "execution/cpu/parallel_for.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// n -> ln G(n + prior) - ln G(prior); n below `tabulated` from a table.
class LogGammaRise {
 public:
  explicit LogGammaRise(double prior, std::int64_t tabulated = 0) : prior_(prior), at_prior_(log_gamma(prior)) {
    for (std::int64_t n = 0; n < tabulated; ++n) {
      table_.push_back(compute(n));
    }
  }
  double operator()(std::int64_t n) const {
    const auto index = static_cast<std::size_t>(n);
    return index < table_.size() ? table_[index] : compute(n);
  }

 private:
  double compute(std::int64_t n) const { return log_gamma(static_cast<double>(n) + prior_) - at_prior_; }

  double prior_;
  double at_prior_;
  std::vector<double> table_;
};

// The sum of sum_of(begin, end) over blocks of [0, count), added in order: the
// same for any number of threads.
double sum_of_blocks(std::int64_t count, std::int64_t block, int threads,
                     base::FunctionRef<double(std::int64_t, std::int64_t)> sum_of) {
  std::vector<double> sums(static_cast<std::size_t>(base::ceil_div(count, block)));
  execution::parallel_for(static_cast<std::int64_t>(sums.size()), 1, threads,
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t b = begin; b < end; ++b) {
                              sums[static_cast<std::size_t>(b)] = sum_of(b * block, std::min(count, (b + 1) * block));
                            }
                          });
  double total = 0;
  for (const double sum : sums) {
    total += sum;
  }
  return total;
}

double log_joint_of_documents(const Corpus& corpus, const State& state, double alpha, int threads) {
  const LogGammaRise of_topic(alpha, std::min<std::int64_t>(1024, corpus.tokens() + 1));
  const LogGammaRise of_document(alpha * state.topics);
  return sum_of_blocks(corpus.documents(), 256, threads, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> n_dk(static_cast<std::size_t>(state.topics));
    double sum = 0;
    for (auto d = static_cast<std::size_t>(first); d < static_cast<std::size_t>(last); ++d) {
      const auto begin = static_cast<std::size_t>(corpus.document_offsets[d]);
      const auto end = static_cast<std::size_t>(corpus.document_offsets[d + 1]);
      for (std::size_t i = begin; i < end; ++i) {
        ++n_dk[static_cast<std::size_t>(state.z[i])];
      }
      sum -= of_document(static_cast<std::int64_t>(end - begin));
      for (std::size_t i = begin; i < end; ++i) {
        std::int64_t& n = n_dk[static_cast<std::size_t>(state.z[i])];
        sum += of_topic(n);  // 0 for a topic met before: its count is 0 by then
        n = 0;
      }
    }
    return sum;
  });
}

double log_joint_of_words(const State& state, std::int64_t words, double beta, int threads) {
  const LogGammaRise of_word(beta, std::min<std::int64_t>(1024, std::ssize(state.z) + 1));
  const double per_word = sum_of_blocks(words, 64, threads, [&](std::int64_t first, std::int64_t last) {
    double sum = 0;
    for (std::int64_t i = first * state.topics; i < last * state.topics; ++i) {
      const std::int32_t n = state.n_wk[static_cast<std::size_t>(i)];
      if (n != 0) {
        sum += of_word(n);
      }
    }
    return sum;
  });
  const LogGammaRise of_topic(beta * static_cast<double>(words));
  double per_topic = 0;
  for (const std::int64_t n : state.n_k) {
    per_topic += of_topic(n);
  }
  return per_word - per_topic;
}

}  // namespace

double log_joint(const Corpus& corpus, const State& state, double alpha, double beta, int threads) {
  return log_joint_of_documents(corpus, state, alpha, threads) +
         log_joint_of_words(state, corpus.vocabulary_size(), beta, threads);
}

}  // namespace papilio::lda

namespace papilio {

double log_joint(const Corpus& corpus, const std::vector<std::int32_t>& z, std::int32_t topics, double alpha,
                 double beta, int threads) {
  base::require(topics >= 1, "papilio::log_joint: topics is {}, expected at least 1", topics);
  base::require(std::isfinite(alpha) && alpha > 0, "papilio::log_joint: alpha is {}, expected a number > 0", alpha);
  base::require(std::isfinite(beta) && beta > 0, "papilio::log_joint: beta is {}, expected a number > 0", beta);
  corpus.verify();
  lda::require_topics(corpus, z, topics, "log_joint");
  lda::State state;
  state.topics = topics;
  state.z = z;
  state.count(lda::group_by_word(corpus, threads), threads);
  return lda::log_joint(corpus, state, alpha, beta, threads);
}

}  // namespace papilio
