#pragma once

#include "papilio/lda.h"

namespace papilio::lda {

// What becomes of theta, or of phi, in a sweep.
enum class Parameter {
  estimated,       // its posterior mean given z takes its place
  drawn,           // it is drawn given z
  integrated_out,  // it does not appear: a token's weights come from counts without the token
};

// How a sampler deals with the two of them. Everything else about it follows.
struct Recipe {
  Parameter theta;
  Parameter phi;
};

constexpr Recipe recipe_of(Sampler sampler) {
  switch (sampler) {
    case Sampler::uncollapsed:
      return {Parameter::drawn, Parameter::drawn};
    case Sampler::theta_collapsed:
      return {Parameter::integrated_out, Parameter::drawn};
    case Sampler::phi_collapsed:
      return {Parameter::drawn, Parameter::integrated_out};
    case Sampler::collapsed:
      return {Parameter::integrated_out, Parameter::integrated_out};
    case Sampler::mean_for_mode:
      break;
  }
  return {Parameter::estimated, Parameter::estimated};
}

}  // namespace papilio::lda
