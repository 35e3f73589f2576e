#include "lda/evaluation/fixed_phi.h"

#include <algorithm>

#include "execution/cpu/interruption.h"
#include "lda/evaluation/fold_in/fixed_phi_formulas.h"
#include "lda/model/seeds.h"

namespace papilio::lda {

FixedPhi::FixedPhi(const Model& model) : model_(model) {
  const double prior_mass = static_cast<double>(model.vocabulary_size()) * model.beta;
  for (const std::int64_t n : model.n_k) {
    n_k_prior_.push_back(fixed_topic_mass(n, prior_mass));
  }
  for (std::size_t k = 0; k < model.s_k.size(); ++k) {
    n_k_prior_[k] = fixed_topic_mass(model.n_k[k] + model.s_k[k], prior_mass);
  }
  for (const double a : model.alpha) {
    alpha_sum_ += a;
  }
}

void FixedPhi::set_words(const KnownDocument& document, bool prior_sums) {
  const auto topics = static_cast<std::size_t>(model_.topics);
  phi_.resize(document.words.size() * topics);
  sums_.resize(prior_sums ? phi_.size() : 0);
  for (std::size_t place = 0; place < document.words.size(); ++place) {
    const std::int32_t* n_wk = model_.n_wk.data() + std::int64_t{document.words[place]} * model_.topics;
    double* phi = phi_.data() + place * topics;
    for (std::size_t k = 0; k < topics; ++k) {
      phi[k] = fixed_phi(n_wk[k], model_.beta, n_k_prior_[k]);
    }
    for (const SeedWord& seed : seeds_of(model_.seed_words, document.words[place])) {
      const auto k = static_cast<std::size_t>(seed.topic);
      phi[k] = fixed_phi(std::int64_t{n_wk[k]} + seed.weight, model_.beta, n_k_prior_[k]);
    }
    if (prior_sums) {
      double sum = 0;
      for (std::size_t k = 0; k < topics; ++k) {
        sum += model_.alpha[k] * phi[k];
        sums_[place * topics + k] = sum;
      }
    }
  }
}

double FixedPhi::probability(std::span<const double> theta, std::int32_t place) const {
  constexpr std::size_t lanes = probability_lanes;
  const double* phi = row(place);
  double sums[lanes] = {};
  std::size_t k = 0;
  for (; k + lanes <= theta.size(); k += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += theta[k + lane] * phi[k + lane];
    }
  }
  for (std::size_t lane = 0; k < theta.size(); ++k, ++lane) {
    sums[lane] += theta[k] * phi[k];
  }
  return sum_of_lanes(sums);
}

void FixedPhi::fold_in(std::span<const std::int32_t> counts, int steps, std::vector<double>& theta) const {
  const auto topics = static_cast<std::size_t>(model_.topics);
  theta.assign(topics, 1.0 / model_.topics);
  std::vector<double> share(topics);
  for (int step = 0; step < steps; ++step) {
    execution::stop_point();
    std::fill(share.begin(), share.end(), 0.0);
    for (std::size_t place = 0; place < counts.size(); ++place) {
      if (counts[place] > 0) {
        const auto word = static_cast<std::int32_t>(place);
        const double* phi = row(word);
        const double factor = counts[place] / probability(theta, word);
        for (std::size_t k = 0; k < topics; ++k) {
          share[k] += factor * phi[k];
        }
      }
    }
    double total = 0;
    for (std::size_t k = 0; k < topics; ++k) {
      theta[k] = folded_theta(model_.alpha[k], theta[k], share[k]);
      total += theta[k];
    }
    for (double& t : theta) {
      t /= total;
    }
  }
}

}  // namespace papilio::lda
