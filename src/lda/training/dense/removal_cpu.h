#pragma once

#include <cstdint>
#include <vector>

#include "lda/training/memory/aligned_table.h"
#include "lda/training/parameters/phi_table_cpu.h"
#include "lda/training/recipe.h"
#include "sampling/products/product_draws.h"

// Draws from counts without the token itself, all tokens at once, by rejection.
//
// Counted with itself, a token's weights w_k differ from those without it, w'_k, in one
// place, its old topic, where w' = r w with r < 1. So a draw from w that is not the old topic
// is kept; the old topic is kept with probability r. What has been refused is drawn once more,
// from w', and that is final: given a refusal, w' is again the law. Altogether a topic k comes
// out with probability w'_k / sum w'.

namespace papilio::lda {

// r for a token of word w and its topic k: how much of a weight the token leaves. The counts are those of
// the sweep's start, which tables hold to the last unit up to 2^23, while n_wk changes under
// the draws of others.
class Remainder {
 public:
  Remainder(const PhiTable& phi, const Priors& priors, Recipe recipe)
      : phi_(phi), priors_(priors), of_theta_(recipe.theta == Parameter::integrated_out) {}

  double operator()(const float* theta, std::int32_t w, std::int32_t k) const;

 private:
  const PhiTable& phi_;
  const Priors& priors_;
  const bool of_theta_;
};

// Tokens whose first draw was refused, until there are enough for a batch of second draws.
class SecondDraws {
 public:
  SecondDraws(std::int32_t topics, PartialSums method);

  bool full() const { return static_cast<std::int64_t>(tokens_.size()) == theta_.rows(); }

  // A token, by its number in the whole corpus, of topic k whose row of theta becomes theta_k r there. The row is
  // copied; phi must stay.
  void add(std::int64_t token, const float* theta, const float* phi, std::int32_t k, double r);

  // Draws them all, calls found(token, topic) for each that has a positive weight, and forgets them.
  template <class Found>
  void draw(std::uint64_t seed, std::uint64_t stream, const Found& found) {
    draws_.draw(seed, stream);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const auto k = static_cast<std::int32_t>(draws_.drawn(static_cast<std::int64_t>(i)));
      if (k >= 0) found(tokens_[i], k);
    }
    tokens_.clear();
  }

 private:
  const std::int32_t topics_;
  AlignedTable theta_;
  std::vector<std::int64_t> tokens_;
  sampling::ProductDraws draws_;
};

}  // namespace papilio::lda
