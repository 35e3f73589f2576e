#pragma once

#include <exception>

#include "papilio/communicator.h"

namespace papilio::execution {

// Returns work(). A rank whose work throws says so to the others.
template <class Work>
auto work_of_rank(Communicator& ranks, const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    ranks.fail(error.what());
    throw;
  }
}

}  // namespace papilio::execution
