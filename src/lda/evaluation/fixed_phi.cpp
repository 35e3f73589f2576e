#include "lda/evaluation/fixed_phi.h"

#include "lda/evaluation/fold_in/fixed_phi_formulas.h"
#include "lda/model/seeds.h"

namespace papilio::lda {

std::vector<double> fixed_topic_masses(const Model& model) {
  const double prior_mass = static_cast<double>(model.vocabulary_size()) * model.beta;
  std::vector<double> masses;
  for (std::size_t k = 0; k < model.n_k.size(); ++k) {
    masses.push_back(fixed_topic_mass(model.n_k[k] + (model.s_k.empty() ? 0 : model.s_k[k]), prior_mass));
  }
  return masses;
}

FixedPhi::FixedPhi(const Model& model) : model_(model), masses_(fixed_topic_masses(model)) {
  for (const double a : model.alpha) {
    alpha_sum_ += a;
  }
}

void FixedPhi::set_words(const KnownDocument& document) {
  const auto topics = static_cast<std::size_t>(model_.topics);
  phi_.resize(document.words.size() * topics);
  sums_.resize(phi_.size());
  for (std::size_t place = 0; place < document.words.size(); ++place) {
    const std::int32_t* n_wk = model_.n_wk.data() + std::int64_t{document.words[place]} * model_.topics;
    double* phi = phi_.data() + place * topics;
    for (std::size_t k = 0; k < topics; ++k) {
      phi[k] = fixed_phi(n_wk[k], model_.beta, masses_[k]);
    }
    for (const SeedWord& seed : seeds_of(model_.seed_words, document.words[place])) {
      const auto k = static_cast<std::size_t>(seed.topic);
      phi[k] = fixed_phi(std::int64_t{n_wk[k]} + seed.weight, model_.beta, masses_[k]);
    }
    double sum = 0;
    for (std::size_t k = 0; k < topics; ++k) {
      sum += model_.alpha[k] * phi[k];
      sums_[place * topics + k] = sum;
    }
  }
}

}  // namespace papilio::lda
