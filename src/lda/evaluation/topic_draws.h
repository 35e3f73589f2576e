#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lda/evaluation/fixed_phi.h"

namespace papilio::lda {

// The topics of a document's tokens under a fixed phi, with theta
// integrated out: counts n_k, and draws from P(k) ~ (n_k + alpha_k) phi_k.
//
// The cost of a draw grows with the number of topics in the document: n_k phi_k is added up over these alone, and the
// sums of alpha_k phi_k have been made before (FixedPhi::prior_sums).
class TopicDraws {
 public:
  explicit TopicDraws(std::int32_t topics) : places_(static_cast<std::size_t>(topics), absent) {}

  void add(std::int32_t topic) {
    std::int32_t& place = places_[static_cast<std::size_t>(topic)];
    if (place == absent) {
      place = static_cast<std::int32_t>(present_.size());
      present_.push_back({1, 0, topic});
    } else {
      present_[static_cast<std::size_t>(place)].count += 1;
    }
  }

  void remove(std::int32_t topic) {
    std::int32_t& place = places_[static_cast<std::size_t>(topic)];
    Present& present = present_[static_cast<std::size_t>(place)];
    present.count -= 1;
    if (present.count > 0) return;
    present = present_.back();
    places_[static_cast<std::size_t>(present.topic)] = place;
    place = absent;
    present_.pop_back();
  }

  // sum_k (n_k + alpha_k) phi_k.
  double total(const FixedPhi& phi, std::int32_t word) { return counted(phi, word) + phi.prior_sum(word); }

  // Draws a topic by a uniform number, 0 <= uniform < 1.
  std::int32_t draw(const FixedPhi& phi, std::int32_t word, double uniform) {
    const double of_counts = counted(phi, word);
    const double target = uniform * (of_counts + phi.prior_sum(word));
    if (target < of_counts) {
      std::size_t i = 0;
      constexpr std::size_t stride = 32;
      while (i + stride < present_.size() && present_[i + stride - 1].sum <= target) i += stride;
      while (present_[i].sum <= target) ++i;
      return present_[i].topic;
    }
    // target - of_counts may round up to the total, which lies past every interval.
    const double* const sums = phi.prior_sums(word);
    const auto last = static_cast<std::ptrdiff_t>(places_.size()) - 1;
    return static_cast<std::int32_t>(std::upper_bound(sums, sums + last, target - of_counts) - sums);
  }

  // Calls use(topic, count) for the topics that have tokens, in no particular order.
  template <class Use>
  void for_each_present(Use use) const {
    for (const Present& present : present_) use(present.topic, static_cast<std::int32_t>(present.count));
  }

 private:
  static constexpr std::int32_t absent = -1;

  // A topic that has tokens.
  struct Present {
    double count;
    double sum;  // of the last draw: the running sum of n_k phi_k
    std::int32_t topic;
  };

  double counted(const FixedPhi& phi, std::int32_t word) {
    const double* row = phi.row(word);
    double sum = 0;
    for (Present& present : present_) {
      sum += present.count * row[present.topic];
      present.sum = sum;
    }
    return sum;
  }

  std::vector<std::int32_t> places_;  // K: a topic's place in present_, or absent
  std::vector<Present> present_;
};

}  // namespace papilio::lda
