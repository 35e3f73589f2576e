#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lda/evaluation/fixed_phi.h"

namespace papilio::lda {

// The topics of a document's tokens under a fixed phi, theta integrated out: counts, and draws from
// P(k) ~ (n_k + alpha_k) phi_k.
//
// A draw costs the number of topics that the document has: n_k phi_k is added up over these alone, and what
// alpha_k phi_k adds up to has been summed before (FixedPhi::prior_sums).
class TopicDraws {
 public:
  explicit TopicDraws(std::int32_t topics)
      : n_k_(static_cast<std::size_t>(topics)), places_(static_cast<std::size_t>(topics)) {}

  void add(std::int32_t topic) {
    const auto k = static_cast<std::size_t>(topic);
    if (n_k_[k]++ == 0) {
      places_[k] = static_cast<std::int32_t>(present_.size());
      present_.push_back(topic);
    }
  }

  void remove(std::int32_t topic) {
    const auto k = static_cast<std::size_t>(topic);
    if (--n_k_[k] == 0) {
      const std::int32_t last = present_.back();
      present_[static_cast<std::size_t>(places_[k])] = last;
      places_[static_cast<std::size_t>(last)] = places_[k];
      present_.pop_back();
    }
  }

  // sum_k (n_k + alpha_k) phi_k.
  double total(const FixedPhi& phi, std::int32_t word) const {
    return counted(phi, word) + phi.prior_sums(word)[n_k_.size() - 1];
  }

  // A topic by a uniform number, 0 <= uniform < 1.
  std::int32_t draw(const FixedPhi& phi, std::int32_t word, double uniform) const {
    const double* row = phi.row(word);
    const double* sums = phi.prior_sums(word);
    const auto last = static_cast<std::ptrdiff_t>(n_k_.size()) - 1;
    const double of_counts = counted(phi, word);
    const double target = uniform * (of_counts + sums[last]);
    if (target < of_counts) {
      double sum = 0;
      for (const std::int32_t k : present_) {
        sum += n_k_[static_cast<std::size_t>(k)] * row[k];
        if (target < sum) {
          return k;
        }
      }
    }
    // target - of_counts may round up to the sum of all, which is above no interval.
    const auto above = std::upper_bound(sums, sums + last, target - of_counts);
    return static_cast<std::int32_t>(above - sums);
  }

  // The topics with tokens, in no order that matters to a sum of integers.
  const std::vector<std::int32_t>& present() const { return present_; }
  std::int32_t count(std::int32_t topic) const { return n_k_[static_cast<std::size_t>(topic)]; }

 private:
  double counted(const FixedPhi& phi, std::int32_t word) const {
    const double* row = phi.row(word);
    double sum = 0;
    for (const std::int32_t k : present_) {
      sum += n_k_[static_cast<std::size_t>(k)] * row[k];
    }
    return sum;
  }

  std::vector<std::int32_t> n_k_;      // K
  std::vector<std::int32_t> places_;   // K, of a topic in present_
  std::vector<std::int32_t> present_;  // topics with tokens
};

}  // namespace papilio::lda
