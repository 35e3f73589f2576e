#pragma once

#include <cstdint>
#include <vector>

#include "papilio/corpus.h"

namespace papilio::lda {

// n -> ln G(n + prior) - ln G(prior), rounded to a multiple of 2^-bits nats and counted in these.
class LogGammaRise {
 public:
  // n below `tabulated` from a table, which changes no value.
  LogGammaRise(double prior, int bits, std::int64_t tabulated = 0);

  std::int64_t operator()(std::int64_t n) const {
    const auto index = static_cast<std::size_t>(n);
    return index < table_.size() ? table_[index] : compute(n);
  }
  const std::vector<std::int64_t>& table() const { return table_; }

 private:
  std::int64_t compute(std::int64_t n) const;

  double prior_;
  double at_prior_;
  int bits_;
  std::vector<std::int64_t> table_;
};

// The terms of log p(w, z) as integers: their sum does not depend on the order of
// adding, so it is the same for any number of threads and on every device.
//
// The unit is the smallest power of two, from 2^-52 nats, for which no sum leaves
// 62 bits: 2^-39 nats for 10^5 tokens, 2^-25 for 10^9, 2^-15 for 10^12. A term is off
// by half a unit, and there are no more than four a token.
struct LogJointTerms {
  LogJointTerms(const CorpusView& corpus, std::int32_t topics, double alpha, double beta, std::int64_t most_tabulated);

  double nats(std::int64_t sum) const;

  int bits;                        // the unit is 2^-bits nats
  LogGammaRise of_document_topic;  // n_dk; tabulated
  LogGammaRise of_document;        // tokens of a document; to be subtracted
  LogGammaRise of_word_topic;      // n_wk; tabulated
  LogGammaRise of_topic;           // n_k; to be subtracted
};

}  // namespace papilio::lda
