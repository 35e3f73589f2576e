#include "lda/training/sparse/parallel/topic_masses_cpu.h"

#include <cmath>

#include "lda/training/sparse/fixed_point.h"

namespace papilio::lda::sparse {

TopicTable::TopicTable(std::int32_t topics) {
  const auto count = static_cast<std::size_t>(topics);
  of_.resize(count);
  inverse_.resize(count);
  prior_sums_.resize(count);
}

void TopicTable::update(const State& state, std::int64_t words) {
  const double beta = state.priors.beta;
  const int places = fixed_point_places(state.priors.alpha_sum());
  const double prior_mass = static_cast<double>(words) * beta;
  std::uint64_t prior_total = 0;
  for (std::size_t k = 0; k < of_.size(); ++k) {
    const double alpha = state.priors.alpha[k];
    const bool used = state.n_k[k] > 0;
    const double mass = static_cast<double>(state.n_k[k]) + prior_mass;
    of_[k] = {.alpha = alpha,
              .without_token = used ? 1.0 / (static_cast<double>(state.n_k[k] - 1) + prior_mass) : 0.0,
              .word_mass = used ? static_cast<std::uint64_t>(std::ldexp(alpha / mass, places)) : 0,
              .prior_mass = static_cast<std::uint64_t>(std::ldexp((alpha * beta) / mass, places))};
    inverse_[k] = used ? static_cast<float>(1.0 / mass) : 0.0f;
    prior_total += of_[k].prior_mass;
    prior_sums_[k] = prior_total;
  }
  masses_ = {.topics = state.topics,
             .beta = beta,
             .of = of_.data(),
             .inverse = inverse_.data(),
             .prior_sums = prior_sums_.data(),
             .prior_total = prior_total,
             .unit = std::ldexp(1.0, -places),
             .places = std::ldexp(1.0, places)};
}

}  // namespace papilio::lda::sparse
