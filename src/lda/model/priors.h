#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "papilio/lda.h"

namespace papilio::lda {

// The current Dirichlet priors of a chain.
struct Priors {
  std::vector<double> alpha;  // K, of documents' topics
  double beta = 0;            // of topics' words

  double alpha_sum() const {  // in the order of topics
    double sum = 0;
    for (const double a : alpha) sum += a;
    return sum;
  }

  // Whether every topic has the same alpha.
  bool is_symmetric() const {
    for (const double a : alpha) {
      if (a != alpha.front()) return false;
    }
    return true;
  }
};

// The priors that the options give.
inline Priors priors_of(const TrainOptions& options) {
  if (!options.topic_alpha.empty()) return {options.topic_alpha, options.beta};
  return {std::vector<double>(static_cast<std::size_t>(options.topics), options.alpha), options.beta};
}

// The priors that a chain begins with: those of the topics that it resumes from, if these have any.
inline Priors priors_of(const TrainOptions& options, const ChainState* resume) {
  Priors priors = priors_of(options);
  if (resume == nullptr) return priors;
  if (!resume->alpha.empty()) priors.alpha = resume->alpha;
  if (resume->beta != 0) priors.beta = resume->beta;
  return priors;
}

}  // namespace papilio::lda
