#pragma once

#include <exception>

#include "papilio/communicator.h"

namespace papilio::execution {

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
