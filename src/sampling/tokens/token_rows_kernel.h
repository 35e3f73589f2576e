#pragma once

#include <cstdint>
#include <limits>

#include "sampling/tokens/token_law.h"
#include "sampling/tokens/token_logits.h"
#include "sampling/tokens/token_weights.h"
#include "warp/warp.h"

// Passes over a row of logits by one CPU thread, compiled for every instruction-set target.
// Rows are adjacent floats, with -infinity for masked categories; `stage_row` and `mask_row`
// turn other rows into such rows.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::token_block;
using papilio::sampling::TokenRow;
using papilio::sampling::TokenScan;

// Copies logits of any type and stride to adjacent floats.
template <class S>
PAPILIO_LANEWISE void stage_row(const TokenRow& row, float* logits) {
  const auto* stored = static_cast<const S*>(row.logits);
  const std::int64_t count = row.categories;
  if (row.stride == 1) {
    for (std::int64_t k = 0; k < count; ++k) logits[k] = logit_of(stored[k]);
  } else {
    for (std::int64_t k = 0; k < count; ++k) logits[k] = logit_of(stored[k * row.stride]);
  }
}

// Puts -infinity in place of the logits that are not allowed.
PAPILIO_LANEWISE void mask_row(const std::uint32_t* allowed, std::int64_t count, float* logits) {
  constexpr float masked = -std::numeric_limits<float>::infinity();
  std::int64_t k = 0;
  for (; k + 32 <= count; k += 32) {
    const std::uint32_t word = allowed[k / 32];
    for (std::uint32_t j = 0; j < 32; ++j) logits[k + j] = (word >> j & 1u) != 0 ? logits[k + j] : masked;
  }
  for (; k < count; ++k) logits[k] = (allowed[k / 32] >> (k % 32) & 1u) != 0 ? logits[k] : masked;
}

// The largest logit of each block of `token_block` categories, and of all of them.
template <warp::Warp W>
PAPILIO_LANEWISE TokenScan scan_row(const float* logits, std::int64_t count, float* block_largest) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  const auto infinity = W::template splat<float>(std::numeric_limits<float>::infinity());
  const auto larger = [](auto a, auto b) { return W::select(W::less(a, b), b, a); };  // skips NaN
  constexpr int at_once = 4;                                                          // independent comparisons
  TokenScan scan = {none, false};
  auto good = W::less(W::template splat<float>(0), infinity);
  for (std::int64_t first = 0; first < count; first += token_block) {
    const float* block = logits + first;
    const std::int64_t size = count - first < token_block ? count - first : token_block;
    warp::Lanes<W, float> largest[at_once];
    for (auto& lanes : largest) lanes = W::template splat<float>(none);
    std::int64_t k = 0;
    for (; k + at_once * W::width <= size; k += at_once * W::width) {
      PAPILIO_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const auto x = W::load(block + k + i * W::width);
        largest[i] = larger(largest[i], x);
        good = good & W::less(x, infinity);
      }
    }
    float each[W::width];
    W::store(each, larger(larger(largest[0], largest[1]), larger(largest[2], largest[3])));
    for (int half = W::width / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) each[l] = each[l] < each[l + half] ? each[l + half] : each[l];
    for (; k < size; ++k) {
      each[0] = each[0] < block[k] ? block[k] : each[0];
      scan.fault = scan.fault || !(block[k] < std::numeric_limits<float>::infinity());
    }
    block_largest[first / token_block] = each[0];
    scan.largest = scan.largest < each[0] ? each[0] : scan.largest;
  }
  scan.fault = scan.fault || W::bits(!good) != 0;
  return scan;
}

// Writes the keys of the categories in [first, end) whose logits are not below `least`, which is above
// -infinity. Returns how many there are.
template <warp::Warp W>
PAPILIO_LANEWISE std::int64_t collect_row(const float* logits, std::int64_t first, std::int64_t end, float least,
                                          std::uint64_t* keys) {
  std::int64_t filled = 0;
  const auto add = [&](std::int64_t k) { keys[filled++] = token_key(token_order(logits[k] + 0.0f), k); };
  const auto floor = W::template splat<float>(least);
  std::int64_t k = first;
  for (; k + W::width <= end; k += W::width)
    for (std::uint64_t lanes = W::bits(!W::less(W::load(logits + k), floor)); lanes != 0; lanes &= lanes - 1)
      add(k + __builtin_ctzll(lanes));
  for (; k < end; ++k)
    if (!(logits[k] < least)) add(k);
  return filled;
}

// The weights of fewer than W logits; the results of the other lanes are not used.
template <warp::Warp W>
PAPILIO_LANEWISE void weigh_last(const float* logits, std::int64_t count, const TokenScale& scale,
                                 std::uint64_t* weights) {
  float x[W::width];
  for (int l = 0; l < W::width; ++l) x[l] = l < count ? logits[l] : scale.largest;
  W::store(weights, token_weights<W>(W::load(x), scale));
}

template <warp::Warp W>
PAPILIO_LANEWISE void weigh_row(const float* logits, std::int64_t count, const TokenScale& scale,
                                std::uint64_t* weights) {
  std::int64_t k = 0;
  for (; k + W::width <= count; k += W::width) W::store(weights + k, token_weights<W>(W::load(logits + k), scale));
  if (k == count) return;
  std::uint64_t all[W::width];
  weigh_last<W>(logits + k, count - k, scale, all);
  for (int l = 0; k + l < count; ++l) weights[k + l] = all[l];
}

template <warp::Warp W>
PAPILIO_LANEWISE std::uint64_t sum_row(const float* logits, std::int64_t count, const TokenScale& scale) {
  auto sums = W::template splat<std::uint64_t>(0);
  std::int64_t k = 0;
  for (; k + W::width <= count; k += W::width) sums = sums + token_weights<W>(W::load(logits + k), scale);
  std::uint64_t all[W::width], sum = 0;
  W::store(all, sums);
  for (const std::uint64_t part : all) sum += part;
  if (k == count) return sum;
  weigh_last<W>(logits + k, count - k, scale, all);
  for (int l = 0; k + l < count; ++l) sum += all[l];
  return sum;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
