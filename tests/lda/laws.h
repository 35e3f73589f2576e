#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "lda/corpora.h"
#include "lda/training/trainer/start_chain.h"
#include "papilio/lda.h"

// What the tests of the samplers' laws share: one sweep of the library's, plain draws, and a
// plain sampler that may have a fault.

namespace papilio::testing {

// One sweep from z; step 0, 1, ... are those of one chain.
using Sweep = std::function<void(const Corpus& corpus, std::vector<std::int32_t>& z, std::int64_t step)>;

// That of the library.
inline Sweep sweep_of(TrainOptions options) {
  options.threads = 1;
  return [options](const Corpus& corpus, std::vector<std::int32_t>& z, std::int64_t step) {
    ChainState topics;
    topics.sweep = step;
    topics.z = z;
    const auto chain = lda::start_chain(corpus, options, topics);
    chain->sweep();
    chain->wait();
    z = chain->take_state().z;
  };
}

inline double uniform(std::mt19937_64& random) { return std::ldexp(static_cast<double>(random() >> 11), -53); }

inline std::int32_t draw(const std::vector<double>& weights, std::mt19937_64& random) {
  double target = uniform(random) * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t k = 0;
  while (k + 1 < weights.size() && target >= weights[k]) target -= weights[k++];
  return static_cast<std::int32_t>(k);
}

// A draw whose weight rises by 1, from Polya's urn: the predictive distribution under a
// Dirichlet prior, with which the urn begins.
inline std::int32_t draw_from_urn(std::vector<double>& urn, std::mt19937_64& random) {
  const std::int32_t k = draw(urn, random);
  urn[static_cast<std::size_t>(k)] += 1;
  return k;
}

// Topics of a corpus' tokens from their prior.
inline std::vector<std::int32_t> draw_topics(const Corpus& corpus, const std::vector<double>& alpha,
                                             std::mt19937_64& random) {
  std::vector<std::int32_t> z;
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    std::vector<double> urn = alpha;
    for (auto i = corpus.document_offsets[d]; i < corpus.document_offsets[d + 1]; ++i) {
      z.push_back(draw_from_urn(urn, random));
    }
  }
  return z;
}

// Words of a corpus' tokens given their topics, phi integrated out.
inline void redraw_words(Corpus& corpus, const std::vector<std::int32_t>& z, std::size_t topics, double beta,
                         std::mt19937_64& random) {
  std::vector<std::vector<double>> urns(topics, std::vector<double>(corpus.vocabulary.size(), beta));
  for (std::size_t i = 0; i < z.size(); ++i) {
    corpus.words[i] = draw_from_urn(urns[static_cast<std::size_t>(z[i])], random);
  }
}

// What may be wrong with the plain sampler.
enum class Fault {
  none,
  topic_count_with_the_token,   // n_k' off by one
  topic_count_without_another,  // n_k' off by one, to the other side
};

// The collapsed sampler, one token after the other, every count anew for each.
class PlainSampler {
 public:
  PlainSampler(std::vector<double> alpha, double beta, Fault fault, std::uint64_t seed)
      : alpha_(std::move(alpha)), beta_(beta), fault_(fault), random_(seed) {}

  void operator()(const Corpus& corpus, std::vector<std::int32_t>& z, std::int64_t) {
    for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
      const auto begin = static_cast<std::size_t>(corpus.document_offsets[d]);
      const auto end = static_cast<std::size_t>(corpus.document_offsets[d + 1]);
      for (std::size_t i = begin; i < end; ++i) {
        z[i] = draw(weights(corpus, z, i, begin, end), random_);
      }
    }
  }

 private:
  std::vector<double> weights(const Corpus& corpus, const std::vector<std::int32_t>& z, std::size_t token,
                              std::size_t begin, std::size_t end) const {
    const double prior_mass = beta_ * static_cast<double>(corpus.vocabulary.size());
    std::vector<double> theta = alpha_;
    std::vector<double> phi(alpha_.size(), beta_);
    std::vector<double> total(alpha_.size(), prior_mass);
    for (std::size_t j = 0; j < z.size(); ++j) {
      if (j == token) continue;
      const auto k = static_cast<std::size_t>(z[j]);
      theta[k] += begin <= j && j < end ? 1 : 0;
      phi[k] += corpus.words[j] == corpus.words[token] ? 1 : 0;
      total[k] += 1;
    }
    double& own = total[static_cast<std::size_t>(z[token])];
    own += fault_ == Fault::topic_count_with_the_token ? 1 : fault_ == Fault::topic_count_without_another ? -1 : 0;
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] *= phi[k] / total[k];
    return theta;
  }

  std::vector<double> alpha_;
  double beta_;
  Fault fault_;
  std::mt19937_64 random_;
};

}  // namespace papilio::testing
