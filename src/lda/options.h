#pragma once

#include "papilio/lda.h"

namespace papilio::lda {

// Throws InvalidArgument naming the first option out of range.
void require_options(const TrainOptions& options, const char* caller);

}  // namespace papilio::lda
