#pragma once

#include <cstdint>
#include <vector>

#include "lda/model/priors.h"
#include "lda/model/seeds.h"

namespace papilio::lda {

// n -> ln G(n + prior) - ln G(prior), rounded to a multiple of 2^-bits
// nats and counted in such units; for one prior, or for one per topic.
class LogGammaRise {
 public:
  // Values for n < `tabulated` come from a table, which changes no value.
  LogGammaRise(double prior, int bits, std::int64_t tabulated = 0);

  // For one prior per topic. If all are the same, as for that one prior.
  LogGammaRise(const std::vector<double>& priors, int bits, std::int64_t tabulated);

  std::int64_t operator()(std::int64_t n, std::int32_t topic = 0) const {
    return n < tabulated_ ? table_[static_cast<std::size_t>(topic * topic_stride_ + n)] : compute(n, topic);
  }

  // The value for n < tabulated() is table()[topic * topic_stride() + n];
  // the stride is 0 if all topics share a table.
  const std::vector<std::int64_t>& table() const { return table_; }
  std::int64_t tabulated() const { return tabulated_; }
  std::int64_t topic_stride() const { return topic_stride_; }

 private:
  std::int64_t compute(std::int64_t n, std::int32_t topic) const;

  std::vector<double> priors_;    // one, or one per topic
  std::vector<double> at_prior_;  // ln G of each
  int bits_;
  std::int64_t tabulated_;
  std::int64_t topic_stride_;
  std::vector<std::int64_t> table_;
};

// The terms of log p(w, z) as integers: their sum does not depend on the order of
// adding, so it is the same for any number of threads and on every device.
//
// The unit is the smallest power of two, from 2^-52 nats, for which no sum exceeds 62 bits: 2^-39 nats for 10^5 tokens,
// 2^-25 for 10^9, 2^-15 for 10^12. Each term is off by at most half a unit, and there are at most four per token.
struct LogJointTerms {
  // tokens: those of the corpus plus the weights of all seeds. Each table holds `most_tabulated` counts; tables of
  // topics with priors of their own hold fewer.
  LogJointTerms(std::int64_t tokens, std::int64_t words, const Priors& priors, std::int64_t most_tabulated);

  // How many counts a table holds. tabulated: for n_wk, and for n_dk if all topics have one prior. tabulated_by_topic:
  // for n_dk of one topic, if each topic has its own prior.
  static std::int64_t tabulated(std::int64_t tokens, std::int64_t most_tabulated);
  static std::int64_t tabulated_by_topic(std::int64_t tokens, std::int64_t topics, std::int64_t most_tabulated);

  double nats(std::int64_t sum) const;

  // The terms of the seeds alone, to be subtracted from the terms of counts that include seeds: the rise from s + prior
  // to n + s + prior is that from prior to n + s + prior, less that from prior to s + prior.
  std::int64_t of_seeds(const Seeds& seeds) const;

  int bits;                        // the unit is 2^-bits nats
  LogGammaRise of_document_topic;  // n_dk, by topic; tabulated
  LogGammaRise of_document;        // tokens of a document; to be subtracted
  LogGammaRise of_word_topic;      // n_wk; tabulated
  LogGammaRise of_topic;           // n_k; to be subtracted
};

}  // namespace papilio::lda
