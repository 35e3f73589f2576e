#pragma once

#include "papilio/lda.h"

namespace papilio::lda {

// Throws InvalidArgument naming the first option out of range.
void require_options(const TrainOptions& options, const char* caller);

// Whether a chain optimises its priors after this sweep; they enter the next.
inline bool optimizes_priors_after(const TrainOptions& options, std::int64_t sweep) {
  return options.optimize_every > 0 && sweep >= options.optimize_after &&
         (sweep - options.optimize_after) % options.optimize_every == 0;
}

}  // namespace papilio::lda
