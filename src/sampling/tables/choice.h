#pragma once

#include <cstdint>
#include <vector>

#include "papilio/array_view.h"

namespace papilio::sampling {

// Whether `choice` makes a `CategoryIndex` for these numbers. The draws are the same with and without one.
bool choice_makes_index(std::int64_t categories, std::int64_t draws);

// The running sums of groups of 32 weights; the weights stay where they are.
//
// `find` defines the draws of `choice`. With t = u * total it takes the first group whose running sum exceeds t
// and, in this group, the first category whose running sum inside the group exceeds what is left of t. If rounding
// leaves no such category, it takes the last category at which the sum grew. The result never decreases as u grows.
template <class T>
class GroupSums {
 public:
  static constexpr std::int64_t group_size = 32;

  // Throws InvalidArgument if the weights cannot be drawn from.
  GroupSums(VectorView<const T> weights, int threads);

  std::int64_t find(double u) const;

  std::int64_t categories() const { return weights_.size; }
  double weight(std::int64_t k) const { return double{weights_.data[k]} * scale_; }
  double target(double u) const { return u * total_ < total_ ? u * total_ : below_total_; }

  // The sum of the groups before this one; and the sum that includes this one.
  double before(std::int64_t group) const { return group == 0 ? 0 : sums_[static_cast<std::size_t>(group - 1)]; }
  double up_to(std::int64_t group) const { return sums_[static_cast<std::size_t>(group)]; }

 private:
  void add_groups(int threads);
  void require_weights() const;

  VectorView<const T> weights_;
  double scale_ = 1;  // a power of two, with which sums neither overflow nor lose bits
  std::vector<double> sums_;
  double total_ = 0, below_total_ = 0;
};

// The running sums of all categories inside their groups and, for each 2^-b of u, the category where the search begins.
// O(1) per draw on average, for any weights: a search passes the categories of its part of u, and all parts have K.
template <class T>
class CategoryIndex {
 public:
  explicit CategoryIndex(const GroupSums<T>& groups);

  // The same as `GroupSums::find`.
  std::int64_t find(double u) const;

 private:
  std::int64_t find_from(std::int64_t first, double u) const;

  const GroupSums<T>& groups_;
  std::vector<double> sums_;
  double parts_ = 1;                  // a power of two, at least the number of categories
  std::vector<std::int32_t> starts_;  // starts_[j] = find(j / parts)
};

}  // namespace papilio::sampling
