#pragma once

#include <cstdint>
#include <vector>

#include "papilio/choose.h"

namespace papilio::lda {

// The rows of runs that are sorted by number of topics.
std::vector<ChooseRow> choose_rows(const std::vector<ChooseRun>& runs, std::int64_t vocabulary_size, int threads);

}  // namespace papilio::lda
