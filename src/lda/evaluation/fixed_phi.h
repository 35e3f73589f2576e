#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lda/evaluation/known_document.h"
#include "papilio/model.h"

namespace papilio::lda {

// The rows of phi that a document needs: one per distinct word, K doubles each, contiguous over topics.
class FixedPhi {
 public:
  explicit FixedPhi(const Model& model);

  // Makes rows for the words of a document. With `prior_sums`, also the running sums over topics
  // of alpha_k phi_wk, for TopicDraws.
  void set_words(const KnownDocument& document, bool prior_sums = false);

  std::int32_t topics() const { return model_.topics; }
  const std::vector<double>& alpha() const { return model_.alpha; }
  double alpha_sum() const { return alpha_sum_; }

  // `place` counts the document's distinct words.
  const double* row(std::int32_t place) const { return phi_.data() + std::int64_t{place} * model_.topics; }
  const double* prior_sums(std::int32_t place) const { return sums_.data() + std::int64_t{place} * model_.topics; }

  // sum_k theta_k phi_k, added up in an order that depends on K alone.
  double probability(std::span<const double> theta, std::int32_t place) const;

  // theta by `steps` of the fixed point theta_k <- alpha_k + sum_w counts_w theta_k phi_wk / probability(w),
  // normalised, from uniform. `counts` has an entry for each of the document's distinct words.
  void fold_in(std::span<const std::int32_t> counts, int steps, std::vector<double>& theta) const;

 private:
  const Model& model_;
  std::vector<double> n_k_prior_;  // n_k + s_k + V beta
  double alpha_sum_ = 0;
  std::vector<double> phi_;
  std::vector<double> sums_;
};

}  // namespace papilio::lda
