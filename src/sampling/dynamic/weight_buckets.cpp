#include "sampling/dynamic/weight_buckets.h"

#include <cmath>

#include "random/uniform.h"
#include "sampling/tables/draw_each.h"

namespace papilio::sampling {
namespace {

// A positive double is f 2^e with 2^52 <= f < 2^53: from the least subnormal number, whose f is 2^52, to the largest.
constexpr int least_exponent = -1074 - 52;
constexpr int exponents = 1023 - 52 - least_exponent + 1;
constexpr int significand_bits = 53;

struct Parts {
  std::uint64_t significand;  // f
  std::size_t bucket;         // e - least_exponent
};

Parts parts_of(double weight) {
  int exponent = 0;
  const double fraction = std::frexp(weight, &exponent);  // in [1/2, 1)
  return {static_cast<std::uint64_t>(std::ldexp(fraction, significand_bits)),
          static_cast<std::size_t>(exponent - significand_bits - least_exponent)};
}

}  // namespace

void WholeSum::add(std::uint64_t number) {
  low_ += number;
  if (low_ < number) ++high_;
}

void WholeSum::subtract(std::uint64_t number) {
  if (low_ < number) --high_;
  low_ -= number;
}

double WholeSum::rounded() const { return std::ldexp(static_cast<double>(high_), 64) + static_cast<double>(low_); }

WeightBuckets::WeightBuckets(std::span<const double> weights)
    : weights_(weights.begin(), weights.end()), places_(weights.size()), buckets_(exponents), totals_(1, exponents) {
  for (std::size_t k = 0; k < weights_.size(); ++k) insert(static_cast<std::int32_t>(k));
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    if (!buckets_[bucket].members.empty()) hand_up(bucket);
  }
}

void WeightBuckets::set(std::int64_t category, double weight) {
  const auto k = static_cast<std::int32_t>(category);
  const double before = weights_[static_cast<std::size_t>(category)];
  if (weight == before) return;
  remove(k);
  weights_[static_cast<std::size_t>(category)] = weight;
  insert(k);
  if (before > 0) hand_up(parts_of(before).bucket);
  if (weight > 0) hand_up(parts_of(weight).bucket);
}

void WeightBuckets::insert(std::int32_t category) {
  const double weight = weights_[static_cast<std::size_t>(category)];
  if (weight == 0) return;
  const Parts parts = parts_of(weight);
  Bucket& bucket = buckets_[parts.bucket];
  places_[static_cast<std::size_t>(category)] = static_cast<std::int32_t>(bucket.members.size());
  bucket.members.push_back(category);
  bucket.significands.add(parts.significand);
}

// The last member of the bucket moves to the place that becomes free.
void WeightBuckets::remove(std::int32_t category) {
  const double weight = weights_[static_cast<std::size_t>(category)];
  if (weight == 0) return;
  const Parts parts = parts_of(weight);
  Bucket& bucket = buckets_[parts.bucket];
  const std::int32_t place = places_[static_cast<std::size_t>(category)];
  const std::int32_t last = bucket.members.back();
  bucket.members[static_cast<std::size_t>(place)] = last;
  places_[static_cast<std::size_t>(last)] = place;
  bucket.members.pop_back();
  bucket.significands.subtract(parts.significand);
}

void WeightBuckets::hand_up(std::size_t bucket) {
  totals_.set(0, static_cast<std::int64_t>(bucket),
              std::ldexp(buckets_[bucket].significands.rounded(), static_cast<int>(bucket) + least_exponent));
}

std::int64_t WeightBuckets::find(random::Block block, std::uint64_t seed) const {
  const auto chosen = static_cast<std::size_t>(totals_.find(0, random::uniform53(block.word[0], block.word[1])));
  const std::vector<std::int32_t>& members = buckets_[chosen].members;
  while (true) {
    block = random::philox4x32(block, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    const std::int32_t category = members[multiply_high(block.word[0], block.word[1], members.size())];
    const std::uint64_t uniform = (std::uint64_t{block.word[3]} << 32 | block.word[2]) >> (64 - significand_bits);
    if (uniform < parts_of(weights_[static_cast<std::size_t>(category)]).significand) return category;
  }
}

std::vector<std::int32_t> WeightBuckets::order() const {
  std::vector<std::int32_t> order;
  for (const Bucket& bucket : buckets_) order.insert(order.end(), bucket.members.begin(), bucket.members.end());
  return order;
}

bool WeightBuckets::reorder(std::span<const std::int32_t> order) {
  std::vector<bool> met(weights_.size());
  std::size_t next = 0;
  for (const Bucket& bucket : buckets_) {
    for (std::size_t i = 0; i < bucket.members.size(); ++i, ++next) {
      if (next == order.size() || order[next] < 0 || order[next] >= categories()) return false;
      const auto k = static_cast<std::size_t>(order[next]);
      if (met[k] || weights_[k] == 0 || &buckets_[parts_of(weights_[k]).bucket] != &bucket) return false;
      met[k] = true;
    }
  }
  if (next != order.size()) return false;
  next = 0;
  for (Bucket& bucket : buckets_) {
    for (std::size_t i = 0; i < bucket.members.size(); ++i, ++next) {
      bucket.members[i] = order[next];
      places_[static_cast<std::size_t>(order[next])] = static_cast<std::int32_t>(i);
    }
  }
  return true;
}

}  // namespace papilio::sampling
