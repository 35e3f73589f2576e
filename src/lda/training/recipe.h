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

}  // namespace papilio::lda
