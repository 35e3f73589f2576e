#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "papilio/model.h"

namespace papilio::testing {

// A model from its counts, a row of K a word; words are called "w0", "w1", ... as in make_corpus.
inline Model make_model(const std::vector<std::vector<std::int32_t>>& n_wk, std::vector<double> alpha, double beta) {
  Model model;
  model.topics = static_cast<std::int32_t>(alpha.size());
  model.alpha = std::move(alpha);
  model.beta = beta;
  model.n_k.resize(model.alpha.size());
  for (const auto& row : n_wk) {
    const std::string number = std::to_string(model.vocabulary.size());
    model.vocabulary.emplace_back("w").append(number);
    for (std::size_t k = 0; k < row.size(); ++k) {
      model.n_wk.push_back(row[k]);
      model.n_k[k] += row[k];
    }
  }
  return model;
}

}  // namespace papilio::testing
