#pragma once

#include <cstdint>

#include "base/math.h"
#include "execution/cuda/memory.h"

// A set of tables on a device is described once, by a function that calls use(table, entries, what) for each of them.
// The memory they need, and taking it, follow from that.

namespace papilio::lda {

// Gives a table its memory, unless it already has as much.
struct TakeMemory {
  template <class T>
  void operator()(execution::DeviceArray<T>& table, std::int64_t entries, const char* what) const {
    if (table.size() == entries) return;
    table = {};
    table = execution::DeviceArray<T>(entries, what);
  }
};

// Adds up the bytes that tables need; allocations begin at multiples of 512.
struct AddBytes {
  std::int64_t& bytes;

  template <class T>
  void operator()(const execution::DeviceArray<T>&, std::int64_t entries, const char*) const {
    bytes += base::round_up<std::int64_t>(entries * static_cast<std::int64_t>(sizeof(T)), 512);
  }
};

}  // namespace papilio::lda
