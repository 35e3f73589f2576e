#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace papilio::lda {

// Adds to a count that other threads add to at the same time. Counts are integers, so the order does not matter, and
// none is read until all threads have finished.
inline void add_to_count(std::int32_t* count, std::int32_t change) {
  std::atomic_ref<std::int32_t>(*count).fetch_add(change, std::memory_order_relaxed);
}

// The entries of n_wk that a token leaves and enters when its topic changes.
struct CountMove {
  std::int32_t* from;
  std::int32_t* to;

  // Requests both some time before `add`: the table is far larger than the caches.
  void prefetch() const {
    __builtin_prefetch(from, 1);
    __builtin_prefetch(to, 1);
  }
  void add() const {
    add_to_count(from, -1);
    add_to_count(to, 1);
  }
};

}  // namespace papilio::lda
