#pragma once

#include <cstdint>

#include "papilio/tokens.h"
#include "sampling/tokens/token_law.h"

// How what shards say of a row becomes what is known of it: a search for thresholds, eight bits of the order at a time.
// What CPU and GPU share.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int shard_digit_bits = 8;
inline constexpr int shard_key_bits = 64;

// Which digit of a key counts in this round; -1 where its leading bits are others than those that were found.
PAPILIO_LANEWISE int shard_digit(std::uint64_t key, const TokenShardState& state) {
  const int left = shard_key_bits - static_cast<int>(state.bits);
  if (state.bits > 0 && key >> left != state.prefix) return -1;
  return static_cast<int>(key >> (left - shard_digit_bits) & 0xFFu);
}

// What follows a threshold: all keys from the found bits on.
PAPILIO_LANEWISE std::uint64_t shard_least_key(const TokenShardState& state) {
  return state.bits == 0 ? 0 : state.prefix << (shard_key_bits - static_cast<int>(state.bits));
}

// The filter that is looked for: the greatest logit alone is the first of the order.
PAPILIO_LANEWISE std::int32_t shard_top_k(const TokenFilter& f) { return f.temperature == 0 ? 1 : f.top_k; }
PAPILIO_LANEWISE float shard_top_p(const TokenFilter& f) { return f.temperature == 0 ? 1.0f : f.top_p; }
PAPILIO_LANEWISE float shard_temperature(const TokenFilter& f) { return f.temperature == 0 ? 1.0f : f.temperature; }

PAPILIO_LANEWISE void begin_search(TokenShardState& state, TokenShardState::Stage stage, std::uint64_t wanted) {
  state.stage = stage;
  state.bits = 0;
  state.prefix = 0;
  state.above = 0;
  state.wanted = wanted;
}

// After the first round, which found the largest logit.
PAPILIO_LANEWISE void begin_filters(TokenShardState& state, const TokenFilter& f, std::int64_t categories) {
  const std::int32_t top_k = shard_top_k(f);
  if (top_k > 0 && top_k < categories)
    begin_search(state, TokenShardState::Stage::top_k, static_cast<std::uint64_t>(top_k));
  else if (shard_top_p(f) < 1)
    begin_search(state, TokenShardState::Stage::top_p, 0);  // the sum is not known yet
  else
    state.stage = TokenShardState::Stage::sums;
}

// Takes the histogram of all shards for the next eight bits.
PAPILIO_LANEWISE void take_digit(TokenShardState& state, const TokenFilter& f, const std::uint64_t* sums,
                                 const std::uint64_t* counts) {
  const bool by_count = state.stage == TokenShardState::Stage::top_k;
  if (!by_count && state.bits == 0) {
    std::uint64_t total = 0;
    for (int digit = 0; digit < 256; ++digit) total += sums[digit];
    state.wanted = top_p_sum(shard_top_p(f), total);
  }
  int digit = 255;
  for (; digit >= 0; --digit) {
    const std::uint64_t part = by_count ? counts[digit] : sums[digit];
    if (part >= state.wanted) break;
    state.wanted -= part;
    state.above += sums[digit];
  }
  bool found = digit < 0;  // there are fewer than that: all are kept
  if (!found) {
    state.prefix = state.prefix << shard_digit_bits | static_cast<std::uint64_t>(digit);
    state.bits += shard_digit_bits;
    found = counts[digit] == (by_count ? state.wanted : 1) || state.bits == shard_key_bits;
    if (found) state.above += sums[digit];
  }
  if (!found) return;
  const std::uint64_t least = digit < 0 ? 0 : shard_least_key(state);
  if (state.least_key < least) state.least_key = least;
  if (by_count && shard_top_p(f) < 1)
    begin_search(state, TokenShardState::Stage::top_p, 0);
  else
    state.stage = TokenShardState::Stage::sums;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
