#pragma once

#include <cstdint>

namespace papilio::lda::sparse {

// What the draws of a sweep come to.
struct Statistics {
  std::int64_t entries = 0;  // of all documents' lists when the sweep began

  // Tokens by the part of their weights that their topics came from.
  std::int64_t from_own = 0;
  std::int64_t from_document = 0;
  std::int64_t from_word = 0;
  std::int64_t from_prior = 0;
};

}  // namespace papilio::lda::sparse
