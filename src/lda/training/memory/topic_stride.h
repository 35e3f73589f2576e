#pragma once

#include <cstdint>

#include "base/math.h"

namespace papilio::lda {

// The distance between two rows of theta or phi on a device: the topics, and zeros up to a multiple
// of 4, or of 128 if there are more than 128 topics.
constexpr std::int64_t topic_stride(std::int32_t topics) {
  return base::round_up<std::int64_t>(topics, topics <= 128 ? 4 : 128);
}

// The distance between two rows of n_wk: the topics, and zeros up to a multiple of 4.
constexpr std::int64_t count_stride(std::int32_t topics) { return base::round_up<std::int64_t>(topics, 4); }

}  // namespace papilio::lda
