#pragma once

#include <cstdint>
#include <limits>

#include "base/check.h"

// What is required of weights that change, whoever gives them.
namespace papilio::sampling {

inline void require_categories(const char* function, std::int64_t categories) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
  base::require(1 <= categories && categories <= most, "papilio::{}: {} categories, expected 1 to {}", function,
                categories, most);
}

inline void require_category(const char* function, std::int64_t category, std::int64_t categories) {
  base::require(0 <= category && category < categories, "papilio::{}: category {}, expected 0 <= category < {}",
                function, category, categories);
}

// The weight; a negative zero becomes 0.
inline double checked_weight(const char* function, std::int64_t category, double weight) {
  base::require(0 <= weight && weight <= std::numeric_limits<double>::max(),
                "papilio::{}: category {} is to weigh {}, expected a finite weight >= 0", function, category, weight);
  return weight + 0.0;
}

}  // namespace papilio::sampling
