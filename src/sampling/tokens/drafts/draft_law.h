#pragma once

#include <cstdint>

#include "sampling/tokens/token_law.h"

// How draft tokens are compared with the target's distribution, in integers: what CPU and GPU share.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Shares of a distribution, in units of 2^-62.
inline constexpr std::uint64_t whole_share = std::uint64_t{1} << 62;

// floor(weight share / 2^62).
PAPILIO_LANEWISE std::uint64_t share_of(std::uint64_t weight, std::uint64_t share) {
  const WideProduct product = token_product(weight, share);
  return product.high << 2 | product.low >> 62;
}

// Whether a token that has weight `target` in the target and weight `draft` in the draft is accepted: with
// probability min(1, target / draft).
PAPILIO_LANEWISE bool accepts(std::uint64_t number, std::uint64_t draft, std::uint64_t target) {
  return target > 0 && token_target(number, draft) < target;
}

// The block rule. p_0 = 1, and p_i = min(1, p_(i-1) target / draft) after token i. This is the share of the target's
// distribution that texts with these tokens have not yet received.
PAPILIO_LANEWISE std::uint64_t next_share(std::uint64_t share, std::uint64_t target, std::uint64_t draft) {
  if (target == 0) return 0;
  if (target >= draft && share == whole_share) return whole_share;
  const double ratio = static_cast<double>(target) / static_cast<double>(draft == 0 ? 1 : draft);
  const double next = static_cast<double>(share) * ratio;
  return next >= 0x1p62 ? whole_share : static_cast<std::uint64_t>(next);
}

// The test of the first i tokens, for i below the draft's length. `total` is the sum of the next row's weights, `share`
// is p_i, and `rest` is the sum of what that share of each weight has beyond the draft's. Accepted with probability
// rest / (rest + (1 - p_i) total).
PAPILIO_LANEWISE bool block_accepts(std::uint64_t number, std::uint64_t rest, std::uint64_t total,
                                    std::uint64_t share) {
  return token_target(number, rest + (total - share_of(total, share))) < rest;
}

// The test of the whole draft: accepted with probability p_n.
PAPILIO_LANEWISE bool share_accepts(std::uint64_t number, std::uint64_t share) {
  return token_target(number, whole_share) < share;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
