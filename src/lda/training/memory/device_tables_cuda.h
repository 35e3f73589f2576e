#pragma once

#include <cstdint>

#include "base/math.h"
#include "execution/cuda/memory.h"

// The tables of something on a device are described once, by a function that calls use(table, entries, what) for each
// of them; what they need and what is taken follow from it.

namespace papilio::lda {

// Gives a table its memory, unless it has as much.
struct TakeMemory {
  template <class T>
  void operator()(execution::DeviceArray<T>& table, std::int64_t entries, const char* what) const {
    if (table.size() == entries) return;
    table = {};
    table = execution::DeviceArray<T>(entries, what);
  }
};

// Adds up what tables need, in bytes; allocations begin at multiples of 512.
struct AddBytes {
  std::int64_t& bytes;

  template <class T>
  void operator()(const execution::DeviceArray<T>&, std::int64_t entries, const char*) const {
    bytes += base::round_up<std::int64_t>(entries * static_cast<std::int64_t>(sizeof(T)), 512);
  }
};

}  // namespace papilio::lda
