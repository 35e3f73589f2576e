#include "lda/model/count_histogram.h"

#include <algorithm>

#include "lda/model/prior_steps.h"

namespace papilio::lda {

void CountHistogram::add(std::int64_t n) {
  if (n == 0) {
    return;
  }
  if (n >= first_large_count) {
    large_.push_back(n);
    return;
  }
  const auto index = static_cast<std::size_t>(n);
  if (index >= small_.size()) {
    small_.resize(index + 1);
  }
  ++small_[index];
}

void CountHistogram::add(const CountHistogram& other) {
  small_.resize(std::max(small_.size(), other.small_.size()));
  for (std::size_t n = 0; n < other.small_.size(); ++n) {
    small_[n] += other.small_[n];
  }
  large_.insert(large_.end(), other.large_.begin(), other.large_.end());
}

void CountHistogram::finish() {
  std::sort(large_.begin(), large_.end());
  if (!large_.empty()) {
    small_.resize(static_cast<std::size_t>(first_large_count) + 1);
    small_.back() = static_cast<std::int64_t>(large_.size());
  }
  for (std::size_t n = small_.size(); n > 1; --n) {
    small_[n - 2] += small_[n - 1];
  }
  // Now small_[n] is the number of counts that are n or more, that is, above n - 1.
  if (!small_.empty()) {
    small_.erase(small_.begin());
  }
}

double CountHistogram::digamma_rise(double prior) const {
  double sum = 0;
  for (std::size_t j = 0; j < small_.size(); ++j) {
    sum += digamma_term(small_[j], prior, static_cast<std::int64_t>(j));
  }
  for (const std::int64_t n : large_) {
    sum += large_digamma_term(n, prior);
  }
  return sum;
}

}  // namespace papilio::lda
