#pragma once

#include <cstdint>

#include "random/philox.h"
#include "random/uniform.h"
#include "sampling/tables/repeated_draws.h"

// The draw from a table as a function of a random block: one source for CPU and GPU. The entries belong to the table.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// floor(x K / 2^64) for K < 2^32.
PAPILIO_LANEWISE std::uint64_t multiply_high(std::uint32_t x_low, std::uint32_t x_high, std::uint64_t K) {
  return (x_high * K + (x_low * K >> 32)) >> 32;
}

// Words 0 and 1 choose the column by multiplication, so some columns are likelier
// than others, by less than 2^-32; words 2 and 3 choose between its two categories.
struct AliasDraw {
  const sampling::AliasColumn* columns;
  std::uint64_t K;

  PAPILIO_LANEWISE std::int64_t operator()(const random::Block& block) const {
    const std::uint64_t k = multiply_high(block.word[0], block.word[1], K);
    const sampling::AliasColumn column = columns[k];
    const bool kept = random::uniform53(block.word[2], block.word[3]) < column.keep;
    return kept ? static_cast<std::int64_t>(k) : std::int64_t{column.alias};
  }
};

// sums[k] is the sum of the weights 0 ... k.
struct CumulativeDraw {
  const double* sums;
  std::int64_t K;
  double total;
  double below_total;  // the largest double below `total`

  // The first k with sums[k] > u * total. A category of weight 0 has the
  // same sum as the category before it, so it is never the first. In
  // another rounding mode u * total may reach the total, hence the bound.
  PAPILIO_LANEWISE std::int64_t find(double u) const {
    const double product = u * total;
    const double target = product < below_total ? product : below_total;
    const double* first = sums;
    std::int64_t count = K;  // the answer is one of first[0] ... first[count - 1]
    while (count > 1) {
      const std::int64_t half = count / 2;
      first += first[half - 1] > target ? 0 : half;
      count -= half;
    }
    return first - sums;
  }

  PAPILIO_LANEWISE std::int64_t operator()(const random::Block& block) const {
    return find(random::uniform53(block.word[0], block.word[1]));
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
