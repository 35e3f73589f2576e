#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "lda/model/priors.h"
#include "papilio/lda.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

// Sparse draws in the plainest way: one token after the other, everything anew for each, by the
// formulas of docs/lda/sparse.md. What the trainer must give, bit for bit.

namespace papilio::testing {

class SparseOracle {
 public:
  SparseOracle(const CorpusView& corpus, const TrainOptions& options, std::vector<std::int32_t> start)
      : z(std::move(start)),
        corpus_(corpus),
        options_(options),
        priors_(lda::priors_of(options)),
        topics_(static_cast<std::size_t>(options.topics)) {}

  void sweep() {
    ++sweep_;
    count();
    weigh_topics();
    std::vector<std::int32_t> next = z;
    for (std::size_t d = 0; d + 1 < corpus_.document_offsets.size(); ++d) {
      const auto begin = static_cast<std::size_t>(corpus_.document_offsets[d]);
      const auto end = static_cast<std::size_t>(corpus_.document_offsets[d + 1]);
      std::vector<std::int64_t> n_d(topics_);
      for (std::size_t i = begin; i < end; ++i) ++n_d[static_cast<std::size_t>(z[i])];
      for (std::size_t i = begin; i < end; ++i) next[i] = draw(i, n_d);
    }
    z = next;
  }

  std::vector<std::int32_t> z;
  std::int64_t from_own = 0, from_document = 0, from_word = 0, from_prior = 0;  // tokens, over all sweeps

 private:
  struct Part {  // of the document
    std::vector<std::size_t> topic;
    std::vector<float> weight;
    std::vector<float> running;  // of its lane
    float lane[8] = {};
    float prefix[8] = {};
  };

  void count() {
    n_wk_.assign(corpus_.vocabulary.size() * topics_, 0);
    n_k_.assign(topics_, 0);
    for (std::size_t i = 0; i < z.size(); ++i) {
      ++n_wk_[static_cast<std::size_t>(corpus_.words[i]) * topics_ + static_cast<std::size_t>(z[i])];
      ++n_k_[static_cast<std::size_t>(z[i])];
    }
    for (const SeedWord& seed : options_.seed_words) {
      n_wk_[static_cast<std::size_t>(seed.word) * topics_ + static_cast<std::size_t>(seed.topic)] += seed.weight;
      n_k_[static_cast<std::size_t>(seed.topic)] += seed.weight;
    }
  }

  double prior_mass() const { return static_cast<double>(corpus_.vocabulary_size()) * priors_.beta; }

  void weigh_topics() {
    places_ = std::min(61 - std::ilogb(priors_.alpha_sum()), 1000);
    inverse_.clear(), word_mass_.clear(), prior_mass_.clear();
    for (std::size_t k = 0; k < topics_; ++k) {
      const double mass = static_cast<double>(n_k_[k]) + prior_mass();
      const double alpha = priors_.alpha[k];
      inverse_.push_back(n_k_[k] > 0 ? static_cast<float>(1.0 / mass) : 0.0f);
      word_mass_.push_back(n_k_[k] > 0 ? static_cast<std::uint64_t>(std::ldexp(alpha / mass, places_)) : 0);
      prior_mass_.push_back(static_cast<std::uint64_t>(std::ldexp(alpha * priors_.beta / mass, places_)));
    }
  }

  std::uint64_t count_of(std::size_t w, std::size_t k) const {
    return static_cast<std::uint64_t>(n_wk_[w * topics_ + k]);
  }

  Part part_of(const std::vector<std::int64_t>& n_d, std::size_t w) const {
    Part part;
    for (std::size_t k = 0; k < topics_; ++k) {
      if (n_d[k] == 0) continue;
      const float phi = (static_cast<float>(count_of(w, k)) + static_cast<float>(priors_.beta)) * inverse_[k];
      const std::size_t l = part.topic.size() % 8;
      part.topic.push_back(k);
      part.weight.push_back(static_cast<float>(n_d[k]) * phi);
      part.lane[l] += part.weight.back();
      part.running.push_back(part.lane[l]);
    }
    const float* L = part.lane;
    float* C = part.prefix;
    C[0] = L[0];
    C[1] = L[0] + L[1];
    C[2] = C[1] + L[2];
    C[3] = C[1] + (L[2] + L[3]);
    C[4] = C[3] + L[4];
    C[5] = C[3] + (L[4] + L[5]);
    C[6] = C[3] + ((L[4] + L[5]) + L[6]);
    C[7] = C[3] + ((L[4] + L[5]) + (L[6] + L[7]));
    return part;
  }

  static std::size_t find(const Part& part, double t) {
    std::size_t l = 0;
    while (!(double{part.prefix[l]} > t)) ++l;
    const double rest = l == 0 ? t : t - double{part.prefix[l - 1]};
    std::size_t i = l;
    while (!(double{part.running[i]} > rest) && part.running[i] != part.lane[l]) i += 8;
    return part.topic[i];
  }

  // The topic that a place in the word's and the prior's parts falls in, topic `without` left out.
  std::size_t find_place(std::size_t w, std::uint64_t place, std::size_t without) {
    for (std::size_t k = 0; k < topics_; ++k) {
      const std::uint64_t mass = k == without ? 0 : word_mass_[k] * count_of(w, k);
      if (place < mass) return ++from_word, k;
      place -= mass;
    }
    for (std::size_t k = 0; k < topics_; ++k) {
      const std::uint64_t mass = k == without ? 0 : prior_mass_[k];
      if (place < mass) return ++from_prior, k;
      place -= mass;
    }
    ADD_FAILURE() << "a place past all masses";
    return 0;
  }

  // `target` is into the word's part; the old topic if there is none.
  std::size_t draw_other(std::size_t w, double target, std::size_t old, std::size_t without) {
    std::uint64_t others = 0;
    for (std::size_t k = 0; k < topics_; ++k) {
      if (k != without) others += word_mass_[k] * count_of(w, k) + prior_mass_[k];
    }
    if (others == 0) return ++from_own, old;
    const double y = std::ldexp(target, places_);
    const std::uint64_t place = y < static_cast<double>(others) ? static_cast<std::uint64_t>(y) : others - 1;
    return find_place(w, std::min(place, others - 1), without);
  }

  double weight_of_others(std::size_t w, std::size_t without) const {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < topics_; ++k) {
      if (k != without) sum += word_mass_[k] * count_of(w, k) + prior_mass_[k];
    }
    return std::ldexp(static_cast<double>(sum), -places_);
  }

  std::int32_t draw(std::size_t token, const std::vector<std::int64_t>& n_d) {
    const auto w = static_cast<std::size_t>(corpus_.words[token]);
    const auto old = static_cast<std::size_t>(z[token]);
    const random::Block words = random::draw_block(
        options_.seed, random::stream(random::Purpose::topics, static_cast<std::uint32_t>(sweep_)), token);
    const double u = random::uniform53(words.word[0], words.word[1]);
    const bool removes = options_.sampler == Sampler::collapsed && topics_ > 1;
    const Part part = part_of(n_d, w);
    return static_cast<std::int32_t>(removes ? draw_without_token(part, w, old, n_d[old], u)
                                             : draw_with_token(part, w, old, u));
  }

  std::size_t draw_with_token(const Part& part, std::size_t w, std::size_t old, double u) {
    const double document = part.prefix[7];
    const double t = u * (document + weight_of_others(w, topics_));
    if (t < document) return ++from_document, find(part, t);
    return draw_other(w, t - document, old, topics_);
  }

  // The old topic's own region comes first; it is out of all other parts.
  std::size_t draw_without_token(const Part& part, std::size_t w, std::size_t old, std::int64_t n_dk, double u) {
    const double v = (((static_cast<double>(n_dk) - 1) + priors_.alpha[old]) *
                      ((static_cast<double>(count_of(w, old)) - 1) + priors_.beta)) *
                     (1.0 / (static_cast<double>(n_k_[old] - 1) + prior_mass()));
    const auto i = static_cast<std::size_t>(std::find(part.topic.begin(), part.topic.end(), old) - part.topic.begin());
    const std::size_t l = i % 8;
    const double low = i < 8 ? 0.0 : double{part.running[i - 8]};
    const double own = double{part.running[i]} - low;
    const double document = double{part.prefix[7]} - own;
    const double until_others = v + document;
    const double t = u * (until_others + weight_of_others(w, old));
    if (t < v) return ++from_own, old;
    if (!(t < until_others)) return draw_other(w, t - until_others, old, old);
    double q = t - v;
    if (q >= (l == 0 ? 0.0 : double{part.prefix[l - 1]}) + low) q = q + own;
    q = std::min(q, double{std::nextafter(part.prefix[7], 0.0f)});
    return ++from_document, find(part, q);
  }

  const CorpusView corpus_;
  const TrainOptions options_;
  const lda::Priors priors_;
  const std::size_t topics_;
  std::int64_t sweep_ = 0;
  int places_ = 0;
  std::vector<std::int64_t> n_wk_, n_k_;
  std::vector<float> inverse_;
  std::vector<std::uint64_t> word_mass_, prior_mass_;
};

}  // namespace papilio::testing
