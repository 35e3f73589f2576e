#pragma once

#include <fmt/format.h>

#include "papilio/error.h"

namespace papilio::base {

// Throws InvalidArgument with the formatted message unless `holds`. It is for
// the caller's mistakes at the public border; our own are found by `assert`.
template <class... Args>
void require(bool holds, fmt::format_string<Args...> message, Args&&... args) {
  if (!holds) [[unlikely]] {
    throw InvalidArgument(fmt::format(message, std::forward<Args>(args)...));
  }
}

}  // namespace papilio::base
