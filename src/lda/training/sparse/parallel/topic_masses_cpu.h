#pragma once

#include <cstdint>
#include <vector>

#include "lda/model/state.h"
#include "lda/training/sparse/parallel/batch.h"

namespace papilio::lda::sparse {

// What a sweep needs to know about the topics, for any token.
//
// The masses of the word part and the prior part are integers, in units of 2^-s, so sums of them need no order. s
// leaves room for alpha_k phi_wk of all topics together, which is at most the sum of alpha.
class TopicTable {
 public:
  explicit TopicTable(std::int32_t topics);

  // Computes the masses from the current counts and priors.
  void update(const State& state, std::int64_t words);

  // Borrowed until the next update.
  const TopicMasses& masses() const { return masses_; }

 private:
  TopicMasses masses_ = {};
  std::vector<TopicMass> of_;
  std::vector<float> inverse_;
  std::vector<std::uint64_t> prior_sums_;
};

}  // namespace papilio::lda::sparse
