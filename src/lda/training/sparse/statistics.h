#pragma once

#include <cstdint>

namespace papilio::lda::sparse {

// Counts of a sweep's draws.
struct Statistics {
  std::int64_t entries = 0;  // in all documents' lists at the start of the sweep

  // Numbers of tokens, by the part of their weights from which their topics came.
  std::int64_t from_own = 0;
  std::int64_t from_document = 0;
  std::int64_t from_word = 0;
  std::int64_t from_prior = 0;
};

}  // namespace papilio::lda::sparse
