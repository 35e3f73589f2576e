#include "lda/training/parameters/phi_table_cpu.h"

#include "execution/cpu/parallel_for.h"
#include "lda/training/parameters/dirichlet_cpu.h"
#include "lda/training/parameters/estimates.h"
#include "random/purpose.h"

namespace papilio::lda {

PhiTable::PhiTable(std::int64_t words, std::int32_t topics, int threads)
    : topics_(topics), threads_(threads), phi_(words, topics), mass_(static_cast<std::size_t>(topics)) {}

void PhiTable::estimate(const State& state) {
  const double beta = state.priors.beta;
  const double v_beta = static_cast<double>(phi_.rows()) * beta;
  for (std::size_t k = 0; k < mass_.size(); ++k) {
    mass_[k] = mass_of_topic(state.n_k[k], v_beta);
  }
  execution::parallel_for(phi_.rows(), 64, threads_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w) {
      const std::int32_t* n_wk = state.n_wk.data() + w * topics_;
      float* phi = phi_.row(w);
      for (std::int32_t k = 0; k < topics_; ++k) {
        phi[k] = estimated_phi(n_wk[k], beta, mass_[static_cast<std::size_t>(k)]);
      }
    }
  });
}

void PhiTable::draw(const State& state, std::uint64_t seed) {
  draw_phi({.n_wk = state.n_wk.data(),
            .words = phi_.rows(),
            .topics = topics_,
            .tokens = state.tokens_of_all() + state.seeds.total(),
            .beta = state.priors.beta,
            .seed = seed,
            .stream = random::stream(random::Purpose::phi, static_cast<std::uint32_t>(state.sweep)),
            .threads = threads_},
           phi_);
}

}  // namespace papilio::lda
