#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "random/philox.h"
#include "sampling/dynamic/sum_forest.h"

namespace papilio::sampling {

// The sum of at most 2^31 whole numbers below 2^53, exactly.
class WholeSum {
 public:
  void add(std::uint64_t number);
  void subtract(std::uint64_t number);
  double rounded() const;

 private:
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

// Categories in buckets by the exponent of their weight: within a bucket weights differ by less than a factor
// of 2, so a category is drawn by choosing one uniformly and keeping it with probability weight / 2^exponent,
// at least 1/2. There are as many buckets as exponents of double, whatever K is; a tree of their totals,
// which are exact sums of whole numbers, chooses one. A draw or update takes constant expected time.
//
// Which category a random number gives depends on the order within buckets, and so on the updates.
//
// Source: Matias, Vitter and Ni, Theory of Computing Systems 36, 2003, whose second level of buckets is the tree here.
class WeightBuckets {
 public:
  explicit WeightBuckets(std::span<const double> weights);

  std::int64_t categories() const { return static_cast<std::int64_t>(weights_.size()); }
  double weight(std::int64_t category) const { return weights_[static_cast<std::size_t>(category)]; }
  double total() const { return totals_.total(0); }
  void set(std::int64_t category, double weight);

  // The category of a draw that begins with this random block. It is encrypted with the seed to get further ones.
  std::int64_t find(random::Block block, std::uint64_t seed) const;

  // The categories of positive weight, bucket after bucket: the state in which objects of the same weights can differ.
  std::vector<std::int32_t> order() const;

  // Changes the order to this one. Returns false and changes nothing if it is not an order of these buckets.
  bool reorder(std::span<const std::int32_t> order);

 private:
  struct Bucket {
    std::vector<std::int32_t> members;
    WholeSum significands;
  };

  void insert(std::int32_t category);
  void remove(std::int32_t category);
  void hand_up(std::size_t bucket);

  std::vector<double> weights_;
  std::vector<std::int32_t> places_;  // in the bucket
  std::vector<Bucket> buckets_;       // of exponent least_exponent + i
  SumForest totals_;
};

}  // namespace papilio::sampling
