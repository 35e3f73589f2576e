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
  const double v_beta = static_cast<double>(words) * beta;
  const double scale = std::ldexp(1.0, places);
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < of_.size(); ++k) {
    of_[k] = topic_mass(state.n_k[k], state.priors.alpha[k], beta, v_beta, scale);
    inverse_[k] = inverse_mass(state.n_k[k], v_beta);
    sum += of_[k].prior_mass;
    prior_sums_[k] = sum;
  }
  masses_ = {.topics = state.topics,
             .beta = beta,
             .of = of_.data(),
             .inverse = inverse_.data(),
             .prior_sums = prior_sums_.data(),
             .unit = std::ldexp(1.0, -places),
             .places = scale};
}

}  // namespace papilio::lda::sparse
