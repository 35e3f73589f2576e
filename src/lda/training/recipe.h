#pragma once

#include "lda/model/options.h"
#include "papilio/lda.h"

namespace papilio::lda {

// How a sampler deals with the two of them. Everything else about it follows.
struct Recipe {
  Parameter theta;
  Parameter phi;
};

inline Recipe recipe_of(Sampler sampler) {
  const SamplerChoice& row = choice_of(sampler);
  return {row.theta, row.phi};
}

// Whether a token sees the topics that others have got in the same sweep ...
inline bool goes_token_by_token(const TrainOptions& options) {  // ... of the whole corpus
  return options.schedule == Schedule::sequential && recipe_of(options.sampler).phi == Parameter::integrated_out;
}
constexpr bool goes_in_document_order(const Recipe& recipe) {  // ... of its document
  return recipe.theta == Parameter::integrated_out && recipe.phi == Parameter::drawn;
}

}  // namespace papilio::lda
