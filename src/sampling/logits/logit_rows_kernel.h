#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "random/elementary_lanes.h"
#include "sampling/logits/logit_rows.h"

// Rows of logits become rows of weights, on one CPU thread: the body that every
// instruction-set target compiles.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// The largest of a row's logits; NaN is passed over. -infinity where there is none.
template <warp::Warp W>
PAPILIO_LANEWISE float largest_logit(const float* row, std::int64_t count) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  auto largest = W::template splat<float>(none);
  std::int64_t k = 0;
  for (; k + W::width <= count; k += W::width) {
    const auto x = W::load(row + k);
    largest = W::select(W::less(largest, x), x, largest);
  }
  float lanes[W::width];
  W::store(lanes, largest);
  float most = none;
  for (int l = 0; l < W::width; ++l) most = most < lanes[l] ? lanes[l] : most;
  for (; k < count; ++k) most = most < row[k] ? row[k] : most;
  return most;
}

// The weights of W logits, the largest of the row being finite: 2^((x - largest) scale).
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> weights_of(warp::Lanes<W, float> x, warp::Lanes<W, float> largest,
                                                  warp::Lanes<W, float> scale) {
  const auto weight = random::exp2_or_zero<W>((x - largest) * scale);
  const auto is_number = W::less(x, W::template splat<float>(std::numeric_limits<float>::infinity()));
  return W::select(is_number, weight, x);  // NaN stays what it is
}

// In place. Where the largest logit is not finite the row cannot be drawn from: -infinity
// and finite logits become 0, the others stay.
template <warp::Warp W>
void weigh_logits_by_lanes(float* row, std::int64_t count, float scale) {
  const float most = largest_logit<W>(row, count);
  if (!(most - most == 0)) {
    for (std::int64_t k = 0; k < count; ++k) row[k] = weight_in_bad_row(row[k]);
    return;
  }
  const auto largest = W::template splat<float>(most), scales = W::template splat<float>(scale);
  for (std::int64_t k = 0; k < count; k += W::width) {
    if (k + W::width <= count) {
      W::store(row + k, weights_of<W>(W::load(row + k), largest, scales));
      continue;
    }
    float all[W::width];
    W::store(all, weights_of<W>(W::load(row + k, count - k), largest, scales));
    std::memcpy(row + k, all, static_cast<std::size_t>(count - k) * sizeof(float));
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
