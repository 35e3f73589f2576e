#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "lda/training/memory/aligned_table.h"
#include "lda/training/parameters/dirichlet_cpu.h"
#include "papilio/lda.h"
#include "papilio/sampling.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

// Sweeps of the five samplers in the plainest way: one token after the other, from counts in
// tables of their own, every row written out. What the trainer must give, bit for bit, by every
// method whose draws do not depend on a token's place in a batch.

namespace papilio::testing {

class SamplerOracle {
 public:
  SamplerOracle(const CorpusView& corpus, const TrainOptions& options, std::vector<std::int32_t> start)
      : z(std::move(start)), corpus_(corpus), options_(options), K_(static_cast<std::size_t>(options.topics)) {
    alpha_ = options.topic_alpha.empty() ? std::vector<double>(K_, options.alpha) : options.topic_alpha;
    count();
  }

  void sweep() {
    ++sweep_;
    if (options_.sampler == Sampler::theta_collapsed) {
      const lda::AlignedTable phi = drawn_phi();
      for_each_token([&](std::size_t i, std::size_t d, std::size_t w) {
        count_token(d, w, topic(i), -1);
        z[i] = or_old(i, draw(counted_theta(d), row_of(phi, w), random::Purpose::topics, i));
        count_token(d, w, topic(i), 1);
      });
    } else if (options_.schedule == Schedule::sequential && integrates_phi_out()) {
      std::vector<float> theta;
      std::size_t of_document = corpus_.document_offsets.size();
      for_each_token([&](std::size_t i, std::size_t d, std::size_t w) {
        if (options_.sampler == Sampler::phi_collapsed && of_document != d) theta = drawn_theta(d);
        of_document = d;
        count_token(d, w, topic(i), -1);
        if (options_.sampler == Sampler::collapsed) theta = counted_theta(d);
        z[i] = or_old(i, draw(theta, counted_phi(w), random::Purpose::topics, i));
        count_token(d, w, topic(i), 1);
      });
    } else {
      draw_all_at_once();
    }
    count();
  }

  std::vector<std::int32_t> z;

 private:
  using Row = std::vector<float>;

  bool integrates_phi_out() const {
    return options_.sampler == Sampler::collapsed || options_.sampler == Sampler::phi_collapsed;
  }
  std::size_t topic(std::size_t token) const { return static_cast<std::size_t>(z[token]); }
  std::int32_t or_old(std::size_t token, std::int32_t drawn) const { return drawn < 0 ? z[token] : drawn; }
  double prior_mass() const { return static_cast<double>(corpus_.vocabulary_size()) * options_.beta; }

  template <class Body>
  void for_each_token(const Body& body) const {
    for (std::size_t d = 0; d + 1 < corpus_.document_offsets.size(); ++d) {
      for (auto i = static_cast<std::size_t>(corpus_.document_offsets[d]);
           i < static_cast<std::size_t>(corpus_.document_offsets[d + 1]); ++i) {
        body(i, d, static_cast<std::size_t>(corpus_.words[i]));
      }
    }
  }
  void count_token(std::size_t d, std::size_t w, std::size_t k, std::int32_t change) {
    n_dk_[d * K_ + k] += change;
    n_wk_[w * K_ + k] += change;
    n_k_[k] += change;
  }
  void count() {
    n_dk_.assign(static_cast<std::size_t>(corpus_.documents()) * K_, 0);
    n_wk_.assign(corpus_.vocabulary.size() * K_, 0);
    n_k_.assign(K_, 0);
    for_each_token([&](std::size_t i, std::size_t d, std::size_t w) { count_token(d, w, topic(i), 1); });
    for (const SeedWord& seed : options_.seed_words) {
      n_wk_[static_cast<std::size_t>(seed.word) * K_ + static_cast<std::size_t>(seed.topic)] += seed.weight;
      n_k_[static_cast<std::size_t>(seed.topic)] += seed.weight;
    }
  }

  Row counted_theta(std::size_t d) const {
    Row theta(K_);
    for (std::size_t k = 0; k < K_; ++k) theta[k] = static_cast<float>(n_dk_[d * K_ + k] + alpha_[k]);
    return theta;
  }
  Row drawn_theta(std::size_t d) const {
    Row theta(K_);
    lda::draw_theta(static_cast<std::int64_t>(d), n_dk_.data() + d * K_, sampling::GammaPrior(alpha_), options_.seed,
                    stream(random::Purpose::theta), theta.data());
    return theta;
  }
  Row counted_phi(std::size_t w) const {
    Row phi(K_);
    for (std::size_t k = 0; k < K_; ++k) {
      phi[k] = static_cast<float>((n_wk_[w * K_ + k] + options_.beta) / (static_cast<double>(n_k_[k]) + prior_mass()));
    }
    return phi;
  }
  lda::AlignedTable drawn_phi() const {
    lda::AlignedTable phi(corpus_.vocabulary_size(), options_.topics);
    lda::draw_phi({.n_wk = n_wk_.data(),
                   .words = corpus_.vocabulary_size(),
                   .topics = options_.topics,
                   .tokens = std::accumulate(n_k_.begin(), n_k_.end(), std::int64_t{0}),
                   .beta = options_.beta,
                   .seed = options_.seed,
                   .stream = stream(random::Purpose::phi),
                   .threads = 1},
                  phi);
    return phi;
  }
  Row row_of(const lda::AlignedTable& table, std::size_t w) const {
    const float* row = table.row(static_cast<std::int64_t>(w));
    return {row, row + K_};
  }

  std::uint64_t stream(random::Purpose purpose) const {
    return random::stream(purpose, static_cast<std::uint32_t>(sweep_));
  }
  std::int32_t draw(const Row& theta, const Row& phi, random::Purpose purpose, std::size_t token) const {
    const std::int32_t first_row = 0;
    std::int32_t drawn = 0;
    DrawStatus status = DrawStatus::ok;
    sample_categorical(ProductWeights<float>{.left = {theta.data(), 1, options_.topics},
                                             .left_rows = {&first_row, 1},
                                             .right = {phi.data(), 1, options_.topics},
                                             .right_rows = {&first_row, 1}},
                       VectorView<std::int32_t>(&drawn, 1),
                       {.seed = options_.seed,
                        .stream = stream(purpose),
                        .first_row_id = token,
                        .status = {&status, 1},
                        .threads = 1,
                        .method = options_.method});
    return drawn;
  }

  // The share of a token's weight at its own topic that is left without the token.
  double remainder(std::size_t d, std::size_t w, std::size_t k) const {
    const double n_wk = n_wk_[w * K_ + k], n_dk = n_dk_[d * K_ + k];
    const double mass = static_cast<double>(n_k_[k]) + prior_mass();
    double r = ((n_wk - 1 + options_.beta) / (n_wk + options_.beta)) * (mass / (mass - 1));
    if (options_.sampler == Sampler::collapsed) r = ((n_dk - 1 + alpha_[k]) / (n_dk + alpha_[k])) * r;
    return r;
  }

  // From the counts of the sweep's start.
  void draw_all_at_once() {
    const bool draws_theta = options_.sampler == Sampler::uncollapsed || options_.sampler == Sampler::phi_collapsed;
    lda::AlignedTable phis;
    if (options_.sampler == Sampler::uncollapsed) phis = drawn_phi();
    std::vector<std::int32_t> next(z.size());
    for_each_token([&](std::size_t i, std::size_t d, std::size_t w) {
      Row theta = draws_theta ? drawn_theta(d) : counted_theta(d);
      const Row phi = options_.sampler == Sampler::uncollapsed ? row_of(phis, w) : counted_phi(w);
      next[i] = draw(theta, phi, random::Purpose::topics, i);
      if (next[i] != z[i] || !integrates_phi_out() || K_ == 1) return;
      const double r = remainder(d, w, topic(i));
      const random::Block block = random::draw_block(options_.seed, stream(random::Purpose::topics), i);
      if (random::uniform53(block.word[2], block.word[3]) < r) return;
      theta[topic(i)] = static_cast<float>(double{theta[topic(i)]} * r);
      next[i] = or_old(i, draw(theta, phi, random::Purpose::topics_again, i));
    });
    z = next;
  }

  const CorpusView corpus_;
  const TrainOptions options_;
  const std::size_t K_;
  std::vector<double> alpha_;
  std::int64_t sweep_ = 0;
  std::vector<std::int32_t> n_dk_, n_wk_;
  std::vector<std::int64_t> n_k_;
};

}  // namespace papilio::testing
