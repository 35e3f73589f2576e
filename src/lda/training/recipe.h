#pragma once

#include "lda/model/options.h"
#include "papilio/lda.h"

namespace papilio::lda {

// What a sampler does with theta and phi. Everything else about it follows.
struct Recipe {
  Parameter theta;
  Parameter phi;
};

inline Recipe recipe_of(Sampler sampler) {
  const SamplerChoice& row = choice_of(sampler);
  return {row.theta, row.phi};
}

}  // namespace papilio::lda
