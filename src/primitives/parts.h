#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "base/math.h"
#include "execution/cpu/parallel_for.h"

namespace papilio::primitives {

// A sequence cut into consecutive parts of equal size, except that the last one may
// be shorter. There are at most `most` parts and, if there are two or more, each has
// at least `least` items. There is always at least one part, even if it is empty.
class Parts {
 public:
  Parts(std::int64_t items, std::int64_t least, std::int64_t most)
      : items_(items),
        size_(std::max<std::int64_t>(1, base::ceil_div(items, std::clamp<std::int64_t>(items / least, 1, most)))),
        count_(std::max<std::int64_t>(1, base::ceil_div(items, size_))) {}

  std::int64_t count() const { return count_; }
  std::int64_t begin(std::int64_t part) const { return part * size_; }
  std::int64_t end(std::int64_t part) const { return std::min(items_, (part + 1) * size_); }

  // Calls body(part, begin, end) once for each part, on up to `threads` threads.
  template <class Body>
  void for_each(int threads, Body&& body) const {
    execution::parallel_for(count_, 1, threads, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t part = first; part < last; ++part) body(part, begin(part), end(part));
    });
  }

 private:
  std::int64_t items_;
  std::int64_t size_;
  std::int64_t count_;
};

// The least item that any thread has reported, so that an error
// names the same item whatever the number of threads. A thread
// may stop at the first wrong item that it finds and reports.
class FirstWrong {
 public:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  void report(std::int64_t item) {
    std::int64_t least = least_.load(std::memory_order_relaxed);
    while (item < least && !least_.compare_exchange_weak(least, item, std::memory_order_relaxed)) {
    }
  }

  bool found() const { return item() != none; }
  std::int64_t item() const { return least_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> least_ = none;
};

// How many keys are valid in a table of `size` entries, as the bound of a
// single unsigned comparison: a negative key becomes a number of at least 2^31.
inline std::uint32_t key_bound(std::int64_t size) {
  return static_cast<std::uint32_t>(std::min(size, std::int64_t{1} << 31));
}

}  // namespace papilio::primitives
