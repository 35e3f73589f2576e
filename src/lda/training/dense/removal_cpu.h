#pragma once

#include <cstdint>
#include <vector>

#include "lda/training/memory/aligned_table.h"
#include "lda/training/parameters/phi_table_cpu.h"
#include "lda/training/recipe.h"
#include "sampling/products/product_draws.h"

// Draws all tokens at once from counts that leave the token itself out, by rejection.
//
// The counts at hand include the token. Its weights w_k by them differ from those without it, w'_k,
// only at its old topic, where w' = r w with r < 1. So a draw from w that is not the old topic is
// kept; the old topic is kept with probability r. A refused token is drawn once more, from w', and
// that draw is final: given a refusal, the distribution is w' again. Altogether topic k comes
// out with probability w'_k / sum w'.

namespace papilio::lda {

// r for a token of word w with topic k: the fraction of its weight that remains without it. The counts are those
// of the sweep's start, because the draws of others change n_wk meanwhile; they are recovered from the tables,
// which hold them exactly up to 2^23.
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

  // Adds a token, by its number in the whole corpus: in a copy of its row of theta, theta_k of its topic k becomes
  // theta_k r. phi is not copied and must stay valid.
  void add(std::int64_t token, const float* theta, const float* phi, std::int32_t k, double r);

  // Draws them all, calls found(token, topic) for each token that has a positive weight, and forgets them.
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
