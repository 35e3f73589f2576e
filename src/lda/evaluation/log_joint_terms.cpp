#include "lda/evaluation/log_joint_terms.h"

#include <math.h>  // lgamma_r: lgamma writes a global

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace papilio::lda {
namespace {

double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// A rise by n is a sum of n logarithms, of numbers from the prior up to the prior plus
// all tokens; and the n of each of the four kinds of terms add up to the tokens.
int fraction_bits(double tokens, std::initializer_list<double> priors) {
  double largest = 1;
  for (const double prior : priors) {
    largest = std::max({largest, std::abs(std::log(prior)), std::abs(std::log(prior + tokens))});
  }
  const double bound = 4 * tokens * (largest + 1);
  return std::clamp(62 - static_cast<int>(std::ceil(std::log2(bound))), 0, 52);
}

int fraction_bits(const CorpusView& corpus, std::int32_t topics, double alpha, double beta) {
  const auto words = static_cast<double>(corpus.vocabulary_size());
  const auto tokens = static_cast<double>(std::max<std::int64_t>(1, corpus.tokens()));
  return fraction_bits(tokens, {alpha, alpha * topics, beta, beta * std::max(1.0, words)});
}

}  // namespace

LogGammaRise::LogGammaRise(double prior, int bits, std::int64_t tabulated)
    : prior_(prior), at_prior_(log_gamma(prior)), bits_(bits) {
  table_.reserve(static_cast<std::size_t>(tabulated));
  for (std::int64_t n = 0; n < tabulated; ++n) {
    table_.push_back(compute(n));
  }
}

std::int64_t LogGammaRise::compute(std::int64_t n) const {
  if (n == 0) {
    return 0;
  }
  return std::llround(std::ldexp(log_gamma(static_cast<double>(n) + prior_) - at_prior_, bits_));
}

LogJointTerms::LogJointTerms(const CorpusView& corpus, std::int32_t topics, double alpha, double beta,
                             std::int64_t most_tabulated)
    : bits(fraction_bits(corpus, topics, alpha, beta)),
      of_document_topic(alpha, bits, std::min(most_tabulated, corpus.tokens() + 1)),
      of_document(alpha * topics, bits),
      of_word_topic(beta, bits, std::min(most_tabulated, corpus.tokens() + 1)),
      of_topic(beta * static_cast<double>(corpus.vocabulary_size()), bits) {}

double LogJointTerms::nats(std::int64_t sum) const { return std::ldexp(static_cast<double>(sum), -bits); }

}  // namespace papilio::lda
