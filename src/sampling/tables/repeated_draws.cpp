#include "sampling/tables/repeated_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/sampling.h"
#include "random/philox.h"
#include "random/uniform.h"
#include "sampling/tables/draw_each.h"

namespace papilio {
namespace sampling {
namespace {

// The weights as doubles, times the power of two that brings the largest to
// [2^989, 2^990): sums of up to 2^32 of them then stay finite, and a weight loses bits only
// where it is below 2^-2000 of the largest. Throws where the weights cannot be drawn from.
template <class T>
std::vector<double> scaled_weights(const char* table, VectorView<const T> weights) {
  execution::require_cpu(table, "weights", weights);
  base::require(!weights.empty(), "papilio::{}: there are no categories, so there is nothing to draw", table);
  base::require(weights.size <= std::numeric_limits<std::int32_t>::max(),
                "papilio::{}: weights must be at most {} categories; got {}", table,
                std::numeric_limits<std::int32_t>::max(), weights.size);
  double largest = 0;
  for (std::int64_t k = 0; k < weights.size; ++k) {
    const double weight = weights.data[k];
    base::require(weight >= 0 && weight <= std::numeric_limits<double>::max(),
                  "papilio::{}: weights must be finite and >= 0; category {} is {} ({} categories)", table, k, weight,
                  weights.size);
    largest = std::max(largest, weight);
  }
  base::require(largest > 0,
                "papilio::{}: no category has a positive weight, so there is nothing to draw ({} categories)", table,
                weights.size);
  int exponent = 0;
  std::frexp(largest, &exponent);
  std::vector<double> scaled(static_cast<std::size_t>(weights.size));
  for (std::size_t k = 0; k < scaled.size(); ++k) scaled[k] = std::ldexp(double{weights.data[k]}, 990 - exponent);
  return scaled;
}

}  // namespace

// Every column starts as what it is if nothing is left to fill it up, which
// rounding can bring about: its own, or the heaviest category's where its weight is 0.
std::vector<AliasColumn> alias_columns(const std::vector<double>& weights) {
  const auto K = static_cast<std::int32_t>(weights.size());
  const auto heaviest = static_cast<std::int32_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  DoubleDouble total;
  for (const double weight : weights) total = total + DoubleDouble{weight};
  const DoubleDouble mean = total / K;

  std::vector<AliasColumn> columns(weights.size());
  std::vector<DoubleDouble> left(weights.size());
  std::vector<std::int32_t> small;
  std::vector<std::int32_t> large;
  for (std::int32_t k = 0; k < K; ++k) {
    const auto i = static_cast<std::size_t>(k);
    columns[i] = {weights[i] > 0 ? 1.0 : 0.0, heaviest};
    left[i] = {weights[i]};
    (left[i] < mean ? small : large).push_back(k);
  }
  while (!small.empty() && !large.empty()) {
    const auto filled = static_cast<std::size_t>(small.back());
    const auto giver = static_cast<std::size_t>(large.back());
    small.pop_back();
    columns[filled] = {left[filled].high / mean.high, large.back()};
    left[giver] = left[giver] - (mean - left[filled]);
    if (left[giver] < mean) {
      small.push_back(large.back());
      large.pop_back();
    }
  }
  return columns;
}

}  // namespace sampling

struct AliasTable::Columns {
  std::vector<sampling::AliasColumn> columns;

  // Words 0 and 1 choose the column, by multiplication, so some columns are likelier
  // than others by less than 2^-32; words 2 and 3 choose between its two categories.
  template <class Index>
  void sample(VectorView<Index> drawn, const RepeatedDrawOptions& options) const {
    const sampling::AliasColumn* const first = columns.data();
    const std::uint64_t K = columns.size();
    sampling::draw_each("AliasTable::sample", drawn, options, [first, K](const random::Block& block) {
      const std::uint64_t k = sampling::multiply_high(block.word[0], block.word[1], K);
      const bool kept = random::uniform53(block.word[2], block.word[3]) < first[k].keep;
      return kept ? static_cast<std::int64_t>(k) : std::int64_t{first[k].alias};
    });
  }
};

AliasTable::AliasTable(VectorView<const float> weights)
    : columns_(std::make_shared<const Columns>(
          Columns{sampling::alias_columns(sampling::scaled_weights("AliasTable", weights))})) {}

AliasTable::AliasTable(VectorView<const double> weights)
    : columns_(std::make_shared<const Columns>(
          Columns{sampling::alias_columns(sampling::scaled_weights("AliasTable", weights))})) {}

void AliasTable::sample(VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options) const {
  columns_->sample(drawn, options);
}

void AliasTable::sample(VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options) const {
  columns_->sample(drawn, options);
}

std::int64_t AliasTable::categories() const { return static_cast<std::int64_t>(columns_->columns.size()); }

struct CumulativeTable::Sums {
  std::vector<double> sums;  // sums[k]: weights 0 ... k, rounded once; scaled
  double total;
  double below_total;  // the largest double below `total`

  explicit Sums(const std::vector<double>& weights) : sums(weights.size()) {
    sampling::DoubleDouble sum;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      sum = sum + sampling::DoubleDouble{weights[k]};
      sums[k] = sum.high;
    }
    total = sums.back();
    below_total = std::nextafter(total, 0.0);
  }

  // The first k with sums[k] > u * total. A category of weight 0 has the sum of the
  // one before it, so it is never the first. In another rounding mode u * total may
  // reach the total, hence the bound.
  std::int64_t find(double u) const {
    const double target = std::min(u * total, below_total);
    const double* first = sums.data();
    std::size_t count = sums.size();  // the answer is one of first[0] ... first[count - 1]
    while (count > 1) {
      const std::size_t half = count / 2;
      first += first[half - 1] > target ? 0 : half;
      count -= half;
    }
    return first - sums.data();
  }

  template <class Index>
  void sample(VectorView<Index> drawn, const RepeatedDrawOptions& options) const {
    sampling::draw_each("CumulativeTable::sample", drawn, options, [this](const random::Block& block) {
      return find(random::uniform53(block.word[0], block.word[1]));
    });
  }
};

CumulativeTable::CumulativeTable(VectorView<const float> weights)
    : sums_(std::make_shared<const Sums>(sampling::scaled_weights("CumulativeTable", weights))) {}

CumulativeTable::CumulativeTable(VectorView<const double> weights)
    : sums_(std::make_shared<const Sums>(sampling::scaled_weights("CumulativeTable", weights))) {}

void CumulativeTable::sample(VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options) const {
  sums_->sample(drawn, options);
}

void CumulativeTable::sample(VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options) const {
  sums_->sample(drawn, options);
}

std::int64_t CumulativeTable::find(double u) const {
  base::require(u >= 0 && u < 1, "papilio::CumulativeTable::find: u is {}, expected 0 <= u < 1", u);
  return sums_->find(u);
}

std::int64_t CumulativeTable::categories() const { return static_cast<std::int64_t>(sums_->sums.size()); }

}  // namespace papilio
