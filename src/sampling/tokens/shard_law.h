#pragma once

#include <cstdint>

#include "papilio/tokens.h"
#include "sampling/tokens/token_law.h"

// How the state of a row follows from the records of its shards: thresholds are searched for, eight bits of the order
// at a time. This is what CPU and GPU share.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int shard_digit_bits = 8;
inline constexpr int shard_key_bits = 64;

// The digit of a key that counts in this round; -1 if its leading bits differ from those found so far.
PAPILIO_LANEWISE int shard_digit(std::uint64_t key, const TokenShardState& state) {
  const int left = shard_key_bits - static_cast<int>(state.bits);
  if (state.bits > 0 && key >> left != state.prefix) return -1;
  return static_cast<int>(key >> (left - shard_digit_bits) & 0xFFu);
}

// What follows from a threshold that has been found: all keys from these bits on are kept.
PAPILIO_LANEWISE std::uint64_t shard_least_key(const TokenShardState& state) {
  return state.bits == 0 ? 0 : state.prefix << (shard_key_bits - static_cast<int>(state.bits));
}

// Whether this is a state in which combine_shards, or the start, may leave a row.
PAPILIO_LANEWISE bool valid_shard_state(const TokenShardState& state) {
  return state.stage <= TokenShardState::Stage::done && state.bits % shard_digit_bits == 0 &&
         (state.bits < 64 || (state.bits == 64 && state.stage >= TokenShardState::Stage::sums));
}

// The filter that is searched for. The largest logit alone is the first category of the order.
PAPILIO_LANEWISE std::int32_t shard_top_k(const TokenFilter& f) { return f.temperature == 0 ? 1 : f.top_k; }
PAPILIO_LANEWISE float shard_top_p(const TokenFilter& f) { return f.temperature == 0 ? 1.0f : f.top_p; }
PAPILIO_LANEWISE float shard_temperature(const TokenFilter& f) { return f.temperature == 0 ? 1.0f : f.temperature; }

PAPILIO_LANEWISE std::uint64_t shard_least_weight(const TokenFilter& f, std::int64_t categories) {
  return least_weight(f.temperature == 0 ? 0 : f.min_p, token_unit_bits(categories));
}

PAPILIO_LANEWISE void begin_search(TokenShardState& state, TokenShardState::Stage stage, std::uint64_t wanted) {
  state.stage = stage;
  state.bits = 0;
  state.prefix = 0;
  state.above = 0;
  state.wanted = wanted;
}

// Called after the first round, which has found the largest logit.
PAPILIO_LANEWISE void begin_filters(TokenShardState& state, const TokenFilter& f, std::int64_t categories) {
  const std::int32_t top_k = shard_top_k(f);
  if (top_k > 0 && top_k < categories)
    begin_search(state, TokenShardState::Stage::top_k, static_cast<std::uint64_t>(top_k));
  else if (shard_top_p(f) < 1)
    begin_search(state, TokenShardState::Stage::top_p, 0);  // the sum is not known yet
  else
    state.stage = TokenShardState::Stage::sums;
}

// Uses the histogram of all shards for the next eight bits.
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
  bool found = digit < 0;  // there are fewer than that, so all are kept
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

// If there are several faults, the same one counts, however the vocabulary is divided.
PAPILIO_LANEWISE int fault_precedence(TokenStatus status) {
  return status == TokenStatus::bad_bias       ? 0
         : status == TokenStatus::bad_filter   ? 1
         : status == TokenStatus::not_a_number ? 2
                                               : 3;
}

// Combines the first round of all shards; record(s) is that of shard s.
template <class RecordOf>
PAPILIO_LANEWISE void begin_shards(TokenShardState& state, const RecordOf& record, std::int64_t shards,
                                   const TokenFilter& f, std::int64_t categories) {
  bool something = false;
  for (std::int64_t s = 0; s < shards; ++s) {
    const TokenShardRecord& said = record(s);
    something = something || said.status == TokenStatus::ok;
    state.largest = state.largest < said.largest ? said.largest : state.largest;
    // A shard without allowed categories is not a fault.
    if (said.status == TokenStatus::nothing_allowed || said.status == TokenStatus::ok) continue;
    const bool first =
        state.status == TokenStatus::ok || fault_precedence(said.status) < fault_precedence(state.status);
    if (first) state.status = said.status;
  }
  if (state.status == TokenStatus::ok && !something) state.status = TokenStatus::nothing_allowed;
  if (state.status == TokenStatus::ok)
    begin_filters(state, f, categories);
  else
    state.stage = TokenShardState::Stage::done;
}

// Combines the last round: finds the shard in whose part the draw falls.
template <class RecordOf>
PAPILIO_LANEWISE void draw_among_shards(TokenShardState& state, const RecordOf& record, std::int64_t shards,
                                        std::uint64_t number) {
  for (std::int64_t s = 0; s < shards; ++s) state.total += record(s).sums[0];
  state.target = token_target(number, state.total);
  for (; state.owner + 1 < shards && state.target >= record(state.owner).sums[0]; ++state.owner)
    state.target -= record(state.owner).sums[0];
  state.stage = TokenShardState::Stage::done;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
