#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "papilio/communicator.h"

namespace papilio::lda {

// How often each count occurs, for sums over many counts that depend only on the counts' sizes. All numbers are
// integers, so the order of adding does not matter.
class CountHistogram {
 public:
  // Counts of 0 are not kept, as nothing here depends on them.
  void add(std::int64_t n);
  void add(const CountHistogram& other);

  bool empty() const { return small_.empty() && large_.empty(); }

  // The sum over all counts n of psi(n + prior) - psi(prior), where psi is the digamma function:
  // of 1 / prior + 1 / (prior + 1) + ... + 1 / (prior + n - 1). Summed in a fixed order, by IEEE
  // operations only. 0 < prior <= 1e6.
  double digamma_rise(double prior) const;

  // Adds to each histogram its counterparts on all other ranks, which have equally many. Collective, before `finish`.
  static void add_up(std::span<CountHistogram> histograms, Communicator& ranks);

  // Call it after the last `add` and before `digamma_rise`.
  void finish();

  // Once finished: above()[j] is the number of counts above j, for each j below first_large_count up to the largest
  // count. large() has the counts from first_large_count on, ascending.
  std::span<const std::int64_t> above() const { return small_; }
  std::span<const std::int64_t> large() const { return large_; }

 private:
  std::vector<std::int64_t> small_;  // [n]: how often n occurs; once finished, [j]: how many counts are above j
  std::vector<std::int64_t> large_;  // sorted once finished
};

}  // namespace papilio::lda
