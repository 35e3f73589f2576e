#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "papilio/error.h"

// For tests of contracts: what callers can get wrong is refused by name, and is never undefined behaviour.
// tools/check_contracts.py makes sure that every public name has such a test.

namespace papilio::testing {

// Whether a call throws InvalidArgument with a message that names a papilio function and contains `says`.
inline ::testing::AssertionResult refused(std::string_view says, const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    const std::string_view message = error.what();
    if (message.starts_with("papilio") && message.find(says) != message.npos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "the message is: " << message << "\nexpected in it: " << says;
  }
  return ::testing::AssertionFailure() << "nothing was thrown; expected: " << says;
}

// A number that no enumerator has.
template <class Enum>
Enum no_enumerator() {
  return static_cast<Enum>(99);
}

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

// An address that no T can have, inside memory that may be read.
template <class T>
T* misaligned(T* aligned) {
  return std::bit_cast<T*>(std::bit_cast<std::uintptr_t>(aligned) + 1);
}

}  // namespace papilio::testing
