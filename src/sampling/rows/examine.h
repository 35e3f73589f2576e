#pragma once

#include <cstdint>

#include "papilio/sampling.h"
#include "warp/portability.h"

// Why a row cannot be drawn from: what every device must agree on.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// What is wrong with one weight; `ok` if it can be drawn from.
template <class T>
PAPILIO_LANEWISE DrawStatus fault_of(T w) {
  if (w != w) return DrawStatus::not_a_number;
  if (w < 0) return DrawStatus::negative;
  return w - w != 0 ? DrawStatus::infinite : DrawStatus::ok;
}

// What is wrong, apart from the sum, with a row in which each weight is valid; `positive`: one of them is above 0.
PAPILIO_LANEWISE DrawStatus status_of_weights(std::int64_t size, bool positive) {
  if (size == 0) return DrawStatus::empty;
  return positive ? DrawStatus::ok : DrawStatus::all_zero;
}

// The same with the row's sum, which matters only for rows that `weights` calls ok.
PAPILIO_LANEWISE DrawStatus status_with_sum(DrawStatus weights, double total) {
  return weights == DrawStatus::ok && total - total != 0 ? DrawStatus::overflow : weights;
}

// The first fault of a row, found by one reader; weight(k) is that of category k.
template <class Weight>
PAPILIO_LANEWISE DrawStatus examine_row(std::int64_t size, double total, const Weight& weight) {
  bool positive = false;
  for (std::int64_t k = 0; k < size; ++k) {
    const auto w = weight(k);
    if (const DrawStatus fault = fault_of(w); fault != DrawStatus::ok) return fault;
    positive |= w > 0;
  }
  return status_with_sum(status_of_weights(size, positive), total);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
