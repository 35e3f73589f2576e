#pragma once

#include <cstdint>
#include <vector>

#include "lda/evaluation/known_document.h"
#include "papilio/model.h"

namespace papilio::lda {

// n_k + s_k + V beta of each topic.
std::vector<double> fixed_topic_masses(const Model& model);

// The rows of phi that the draws of a document need: one per distinct word, K doubles each, contiguous over topics.
class FixedPhi {
 public:
  explicit FixedPhi(const Model& model);

  // Makes the rows for a document's words, and for TopicDraws the running sums over topics of alpha_k phi_wk.
  void set_words(const KnownDocument& document);

  std::int32_t topics() const { return model_.topics; }
  const std::vector<double>& alpha() const { return model_.alpha; }
  double alpha_sum() const { return alpha_sum_; }

  // `place` is the number of a word among the document's distinct words.
  const double* row(std::int32_t place) const { return phi_.data() + std::int64_t{place} * model_.topics; }
  const double* prior_sums(std::int32_t place) const { return sums_.data() + std::int64_t{place} * model_.topics; }
  double prior_sum(std::int32_t place) const { return prior_sums(place)[model_.topics - 1]; }  // the last

 private:
  const Model& model_;
  std::vector<double> masses_;
  double alpha_sum_ = 0;
  std::vector<double> phi_;
  std::vector<double> sums_;
};

}  // namespace papilio::lda
