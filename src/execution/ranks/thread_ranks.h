#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "papilio/communicator.h"

namespace papilio::execution {

// What a rank does in place of its call number `call`, counted from 0.
struct RankFault {
  enum class Kind : std::uint8_t {
    drop,   // never joins, and says nothing, as if killed: its own call throws at once
    delay,  // joins late
    fail,   // tells the others, and throws
  };
  Kind kind;
  int rank;
  std::int64_t call;
  std::chrono::milliseconds delay{0};
};

struct ThreadRanksOptions {
  int ranks = 2;
  std::chrono::milliseconds deadline{30'000};
  std::vector<RankFault> faults = {};  // for tests
};

// Ranks within one process, each to be used by its own thread. They share their state: any may outlive the others.
// One that is destroyed has left, which the others hear at once. Throws InvalidArgument for fewer than one rank.
std::vector<std::unique_ptr<Communicator>> thread_ranks(const ThreadRanksOptions& options);

}  // namespace papilio::execution
