#pragma once

#include <exception>
#include <new>
#include <string_view>

#include "papilio/communicator.h"

namespace papilio::execution {

// What a rank that throws says to the others.
inline std::string_view reason_of(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "out of memory" : error.what();
}

// Returns work(). If the work of this rank throws, tells the others.
template <class Work>
auto work_of_rank(Communicator& ranks, const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    ranks.fail(reason_of(error));
    throw;
  }
}

}  // namespace papilio::execution
