#pragma once

#include "base/check.h"

namespace papilio::execution {

// Throws InvalidArgument unless `rank`, an argument of a call, exists: "papilio::Communicator::gather: to is 3, ...".
inline void require_rank(const char* call, const char* argument, int rank, int ranks) {
  base::require(0 <= rank && rank < ranks, "papilio::Communicator::{}: {} is {}, expected 0 <= {} < {}", call, argument,
                rank, argument, ranks);
}

}  // namespace papilio::execution
