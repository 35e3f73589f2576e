#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "lda/corpora.h"
#include "lda/models.h"
#include "papilio/lda.h"

// Models so small that what is known of their documents can be enumerated, and a trained one.

namespace papilio::testing {

// Three topics over four words, priors that differ.
inline Model tiny_model() { return make_model({{7, 1, 2}, {1, 6, 2}, {2, 1, 3}, {1, 1, 9}}, {0.3, 0.9, 0.5}, 0.2); }

inline double phi(const Model& model, std::int32_t w, std::size_t k) {
  return model.phi(w, static_cast<std::int32_t>(k));
}

// Calls visit(z) for every way to give `tokens` tokens one of K topics.
template <class Visit>
void for_every_z(std::size_t tokens, std::size_t topics, Visit&& visit) {
  std::vector<std::size_t> z(tokens);
  for (;;) {
    visit(z);
    std::size_t i = 0;
    for (; i < tokens && ++z[i] == topics; ++i) z[i] = 0;
    if (i == tokens) return;
  }
}

// p(w, z | phi, alpha), theta integrated out: Polya's urn. Also leaves the topics' counts.
inline double joint(const Model& model, const std::vector<std::int32_t>& words, const std::vector<std::size_t>& z,
                    std::vector<double>& n_k) {
  n_k.assign(model.alpha.size(), 0);
  double urn = std::accumulate(model.alpha.begin(), model.alpha.end(), 0.0);
  double probability = 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    probability *= (n_k[z[i]] + model.alpha[z[i]]) / urn * phi(model, words[i], z[i]);
    ++n_k[z[i]];
    ++urn;
  }
  return probability;
}

struct Exact {
  double probability = 0;     // p(w | phi, alpha)
  std::vector<double> theta;  // its posterior mean
};

inline Exact enumerate(const Model& model, const std::vector<std::int32_t>& words) {
  const double alpha_sum = std::accumulate(model.alpha.begin(), model.alpha.end(), 0.0);
  Exact exact;
  exact.theta.resize(model.alpha.size());
  std::vector<double> n_k;
  for_every_z(words.size(), model.alpha.size(), [&](const std::vector<std::size_t>& z) {
    const double p = joint(model, words, z, n_k);
    exact.probability += p;
    for (std::size_t k = 0; k < n_k.size(); ++k) {
      exact.theta[k] += p * (n_k[k] + model.alpha[k]) / (static_cast<double>(words.size()) + alpha_sum);
    }
  });
  for (double& t : exact.theta) t /= exact.probability;
  return exact;
}

// A corpus of 300 documents, and a model trained on it.
struct Trained {
  Corpus corpus = small_generated_corpus().corpus;
  Model model = train(corpus, {.topics = 7, .sweeps = 30, .seed = 3}).model;
};

inline const Trained& trained() {
  static const Trained it;
  return it;
}

inline std::vector<std::vector<std::int32_t>> documents_of(const Corpus& corpus) {
  std::vector<std::vector<std::int32_t>> documents;
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    documents.emplace_back(corpus.words.begin() + corpus.document_offsets[d],
                           corpus.words.begin() + corpus.document_offsets[d + 1]);
  }
  return documents;
}

}  // namespace papilio::testing
