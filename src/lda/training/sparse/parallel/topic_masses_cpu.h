#pragma once

#include <cstdint>
#include <vector>

#include "lda/model/state.h"
#include "lda/training/sparse/parallel/batch.h"

namespace papilio::lda::sparse {

// What a sweep needs to know about the topics, for any token.
//
// Masses of the word's part and the prior's are integers, in units of 2^-s: sums of them need no
// order. s leaves room for alpha_k phi_wk of all topics together, which is at most the sum of alpha.
class TopicTable {
 public:
  explicit TopicTable(std::int32_t topics);

  // Of the counts and priors as they are now.
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
