#pragma once

#include <cstdint>
#include <vector>

#include "lda/model/state.h"
#include "lda/training/memory/aligned_table.h"
#include "lda/training/sparse/by_document/batch.h"

namespace papilio::lda::sparse {

// The sums of the masses alpha_k phi_wk, for every word.
class PriorSums {
 public:
  PriorSums(std::int64_t words, std::int32_t topics, int threads);

  // Sums for phi as drawn. Entries of phi below the least normal float become 0: they would slow arithmetic down, and
  // weigh nothing compared with any other number. Borrows phi and the priors until the next call.
  const PriorPart& update(const Priors& priors, AlignedTable& phi);

 private:
  const int threads_;
  PriorPart part_;
  std::vector<std::uint64_t> totals_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace papilio::lda::sparse
