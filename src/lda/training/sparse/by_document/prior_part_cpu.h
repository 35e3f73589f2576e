#pragma once

#include <cstdint>
#include <vector>

#include "lda/model/state.h"
#include "lda/training/memory/aligned_table.h"
#include "lda/training/sparse/by_document/batch.h"

namespace papilio::lda::sparse {

// The masses alpha_k phi_wk of every word, added up.
class PriorSums {
 public:
  PriorSums(std::int64_t words, std::int32_t topics, int threads);

  // Of phi as drawn, in which numbers below the least normal float become 0: they slow arithmetic down and, next to any
  // other number, have no weight. Borrows phi and the priors until the next call.
  const PriorPart& update(const Priors& priors, AlignedTable& phi);

 private:
  const int threads_;
  PriorPart part_;
  std::vector<std::uint64_t> totals_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace papilio::lda::sparse
