#include "lda/evaluation/log_joint_terms.h"

#include <math.h>  // lgamma_r: lgamma writes a global

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <iterator>

namespace papilio::lda {
namespace {

double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// A rise by n is a sum of n logarithms of numbers between the prior and the prior plus all tokens. For each of the four
// kinds of terms, the n add up to the number of tokens.
int fraction_bits(double tokens, std::initializer_list<double> priors) {
  double largest = 1;
  for (const double prior : priors) {
    largest = std::max({largest, std::abs(std::log(prior)), std::abs(std::log(prior + tokens))});
  }
  const double bound = 4 * tokens * (largest + 1);
  return std::clamp(62 - static_cast<int>(std::ceil(std::log2(bound))), 0, 52);
}

// The prior of a document's length: the sum of alpha over topics.
double document_prior(const Priors& priors) {
  return priors.is_symmetric() ? priors.alpha.front() * static_cast<double>(priors.alpha.size()) : priors.alpha_sum();
}

int fraction_bits(std::int64_t tokens, std::int64_t words, const Priors& priors) {
  const auto [least, largest] = std::minmax_element(priors.alpha.begin(), priors.alpha.end());
  return fraction_bits(static_cast<double>(std::max<std::int64_t>(1, tokens)),
                       {*least, *largest, document_prior(priors), priors.beta,
                        priors.beta * static_cast<double>(std::max<std::int64_t>(1, words))});
}

std::vector<double> distinct(const std::vector<double>& priors) {
  const bool same = std::adjacent_find(priors.begin(), priors.end(), std::not_equal_to<>()) == priors.end();
  return same ? std::vector<double>(1, priors.front()) : priors;
}

}  // namespace

LogGammaRise::LogGammaRise(double prior, int bits, std::int64_t tabulated)
    : LogGammaRise(std::vector<double>(1, prior), bits, tabulated) {}

LogGammaRise::LogGammaRise(const std::vector<double>& priors, int bits, std::int64_t tabulated)
    : priors_(distinct(priors)), bits_(bits), tabulated_(tabulated), topic_stride_(priors_.size() > 1 ? tabulated : 0) {
  for (const double prior : priors_) {
    at_prior_.push_back(log_gamma(prior));
  }
  table_.reserve(priors_.size() * static_cast<std::size_t>(tabulated));
  for (std::size_t k = 0; k < priors_.size(); ++k) {
    for (std::int64_t n = 0; n < tabulated; ++n) {
      table_.push_back(compute(n, static_cast<std::int32_t>(k)));
    }
  }
}

std::int64_t LogGammaRise::compute(std::int64_t n, std::int32_t topic) const {
  if (n == 0) {
    return 0;
  }
  const std::size_t k = priors_.size() > 1 ? static_cast<std::size_t>(topic) : 0;
  return std::llround(std::ldexp(log_gamma(static_cast<double>(n) + priors_[k]) - at_prior_[k], bits_));
}

std::int64_t LogJointTerms::tabulated(std::int64_t tokens, std::int64_t most_tabulated) {
  return std::min(most_tabulated, tokens + 1);
}

// So many that all tables together have 1 MiB and stay in a cache.
std::int64_t LogJointTerms::tabulated_by_topic(std::int64_t tokens, std::int64_t topics, std::int64_t most_tabulated) {
  return std::min(tabulated(tokens, most_tabulated), std::max<std::int64_t>(16, (std::int64_t{1} << 17) / topics));
}

LogJointTerms::LogJointTerms(std::int64_t tokens, std::int64_t words, const Priors& priors, std::int64_t most_tabulated)
    : bits(fraction_bits(tokens, words, priors)),
      of_document_topic(priors.alpha, bits,
                        priors.is_symmetric() ? tabulated(tokens, most_tabulated)
                                              : tabulated_by_topic(tokens, std::ssize(priors.alpha), most_tabulated)),
      of_document(document_prior(priors), bits),
      of_word_topic(priors.beta, bits, tabulated(tokens, most_tabulated)),
      of_topic(priors.beta * static_cast<double>(words), bits) {}

std::int64_t LogJointTerms::of_seeds(const Seeds& seeds) const {
  std::int64_t sum = 0;
  for (const SeedWord& seed : seeds.words()) sum += of_word_topic(seed.weight);
  for (const std::int64_t s : seeds.s_k()) sum -= of_topic(s);
  return sum;
}

double LogJointTerms::nats(std::int64_t sum) const { return std::ldexp(static_cast<double>(sum), -bits); }

}  // namespace papilio::lda
