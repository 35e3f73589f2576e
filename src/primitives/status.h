#pragma once

#include <cstdint>

#include "papilio/primitives.h"
#include "warp/portability.h"

namespace papilio::primitives {

// A status word: the unsigned minimum of the words of all errors; `no_error` if there is none.
inline constexpr std::int64_t no_error = -1;
inline constexpr int error_shift = 56;

PAPILIO_LANEWISE std::int64_t status_word(PrimitiveError error, std::int64_t place) {
  return (static_cast<std::int64_t>(error) << error_shift) | place;
}

}  // namespace papilio::primitives
