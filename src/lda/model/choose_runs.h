#pragma once

#include <cstdint>
#include <vector>

#include "papilio/choose.h"

namespace papilio::lda {

// Throws InvalidArgument naming the first option out of range. Does
// not check what depends on the corpus, nor what train refuses.
void require_choose_options(const ChooseOptions& options, const char* caller);

// Throws InvalidArgument unless every run has its own (topics, seed), its measures have possible values, and its lists
// have `top_words` words per topic, all of them in a vocabulary of this size.
void require_runs(const std::vector<ChooseRun>& runs, std::int64_t vocabulary_size, int top_words, const char* caller);

}  // namespace papilio::lda
