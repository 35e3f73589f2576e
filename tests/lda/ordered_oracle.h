#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "lda/model/priors.h"
#include "lda/training/memory/aligned_table.h"
#include "lda/training/parameters/dirichlet_cpu.h"
#include "papilio/lda.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

// Sparse draws of theta_collapsed in the plainest way: all K topics for each token, by the formulas of
// docs/lda/sparse.md. What the trainer must give, bit for bit.

namespace papilio::testing {

class OrderedOracle {
 public:
  OrderedOracle(const CorpusView& corpus, const TrainOptions& options, std::vector<std::int32_t> start)
      : z(std::move(start)),
        corpus_(corpus),
        options_(options),
        priors_(lda::priors_of(options)),
        topics_(static_cast<std::size_t>(options.topics)),
        phi_(corpus.vocabulary_size(), options.topics) {}

  void sweep() {
    ++sweep_;
    draw_phi();
    places_ = std::min(61 - std::ilogb(priors_.alpha_sum()), 1000);
    for (std::size_t d = 0; d + 1 < corpus_.document_offsets.size(); ++d) {
      const auto begin = static_cast<std::size_t>(corpus_.document_offsets[d]);
      const auto end = static_cast<std::size_t>(corpus_.document_offsets[d + 1]);
      std::vector<std::size_t> tokens(end - begin);
      std::iota(tokens.begin(), tokens.end(), begin);
      std::stable_sort(tokens.begin(), tokens.end(),
                       [&](std::size_t a, std::size_t b) { return corpus_.words[a] < corpus_.words[b]; });
      std::vector<std::int64_t> n_d(topics_);
      for (const std::size_t i : tokens) ++n_d[static_cast<std::size_t>(z[i])];
      for (const std::size_t i : tokens) {
        --n_d[static_cast<std::size_t>(z[i])];
        z[i] = static_cast<std::int32_t>(draw(i, n_d));
        ++n_d[static_cast<std::size_t>(z[i])];
      }
    }
  }

  std::vector<std::int32_t> z;
  std::int64_t from_prior = 0;  // draws of the last sweeps

 private:
  void draw_phi() {
    std::vector<std::int32_t> n_wk(corpus_.vocabulary.size() * topics_);
    for (std::size_t i = 0; i < z.size(); ++i) {
      ++n_wk[static_cast<std::size_t>(corpus_.words[i]) * topics_ + static_cast<std::size_t>(z[i])];
    }
    std::int64_t counted = corpus_.tokens();
    for (const SeedWord& seed : options_.seed_words) {
      n_wk[static_cast<std::size_t>(seed.word) * topics_ + static_cast<std::size_t>(seed.topic)] += seed.weight;
      counted += seed.weight;
    }
    lda::draw_phi({.n_wk = n_wk.data(),
                   .words = corpus_.vocabulary_size(),
                   .topics = options_.topics,
                   .tokens = counted,
                   .beta = priors_.beta,
                   .seed = options_.seed,
                   .stream = stream(random::Purpose::phi),
                   .threads = 1},
                  phi_);
  }

  std::uint64_t stream(random::Purpose purpose) const {
    return random::stream(purpose, static_cast<std::uint32_t>(sweep_));
  }

  float phi(std::size_t token, std::size_t k) const {
    const float drawn = phi_.row(corpus_.words[token])[k];
    return drawn < std::numeric_limits<float>::min() ? 0 : drawn;
  }

  std::uint64_t mass(std::size_t token, std::size_t k) const {
    return static_cast<std::uint64_t>(std::ldexp(priors_.alpha[k] * double{phi(token, k)}, places_));
  }

  // Prefix sums of eight lanes.
  static std::vector<float> prefix_sums(const float* L) {
    const float C1 = L[0] + L[1];
    const float C3 = C1 + (L[2] + L[3]);
    return {L[0],
            C1,
            C1 + L[2],
            C3,
            C3 + L[4],
            C3 + (L[4] + L[5]),
            C3 + ((L[4] + L[5]) + L[6]),
            C3 + ((L[4] + L[5]) + (L[6] + L[7]))};
  }

  std::size_t draw(std::size_t token, const std::vector<std::int64_t>& n_d) {
    float lane[16] = {};
    std::vector<float> running;
    std::uint64_t rest = 0;
    for (std::size_t k = 0; k < topics_; ++k) {
      lane[k % 16] += static_cast<float>(n_d[k]) * phi(token, k);
      running.push_back(lane[k % 16]);
      rest += mass(token, k);
    }
    std::vector<float> prefix = prefix_sums(lane);
    for (const float sum : prefix_sums(lane + 8)) prefix.push_back(sum + prefix[7]);

    const random::Block block = random::draw_block(options_.seed, stream(random::Purpose::topics), token);
    const double document = prefix[15];
    const double total = document + std::ldexp(static_cast<double>(rest), -places_);
    const double t = random::uniform53(block.word[0], block.word[1]) * total;
    if (t < document) {
      std::size_t l = 0;
      while (!(double{prefix[l]} > t)) ++l;
      const double left = l == 0 ? t : t - double{prefix[l - 1]};
      std::size_t k = l;
      while (!(double{running[k]} > left) && running[k] != lane[l]) k += 16;
      return k;
    }
    if (rest == 0) return static_cast<std::size_t>(z[token]);
    ++from_prior;
    const double place = std::ldexp(t - document, places_);
    std::uint64_t left = place < static_cast<double>(rest) ? static_cast<std::uint64_t>(place) : rest - 1;
    left = std::min(left, rest - 1);
    std::size_t k = 0;
    while (left >= mass(token, k)) left -= mass(token, k++);
    return k;
  }

  const CorpusView corpus_;
  const TrainOptions options_;
  const lda::Priors priors_;
  const std::size_t topics_;
  lda::AlignedTable phi_;
  std::int64_t sweep_ = 0;
  int places_ = 0;
};

}  // namespace papilio::testing
