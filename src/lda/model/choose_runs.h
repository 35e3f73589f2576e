#pragma once

#include <cstdint>
#include <vector>

#include "papilio/choose.h"

namespace papilio::lda {

// Throws InvalidArgument naming the first option out of range. What depends on the corpus, and what train refuses, is
// not looked at.
void require_choose_options(const ChooseOptions& options, const char* caller);

// Throws InvalidArgument unless each run is of its own (topics, seed), its measures are numbers that such measures can
// be, and its lists have `top_words` words per topic, which a vocabulary of this size has.
void require_runs(const std::vector<ChooseRun>& runs, std::int64_t vocabulary_size, int top_words, const char* caller);

}  // namespace papilio::lda
