#pragma once

#include <cstdint>

#include "warp/warp.h"

// Searches of a column of sums per lane: entry k of lane r is
// table[(k * stride + offset) * W + r]. Each returns the first k in [0, count)
// with target < entry, or count - 1 if there is none. Lanes agree on count >= 1.

namespace papilio::inline PAPILIO_TARGET::collective {

struct Column {
  std::int32_t count;
  std::int32_t stride = 1;
  std::int32_t offset = 0;
};

// One after the other; count - 1 reads per lane.
template <warp::Warp W, class T>
PAPILIO_LANEWISE warp::Lanes<W, std::int32_t> search_linear(const T* table, Column column, warp::Lanes<W, T> target) {
  auto found = W::template splat<std::int32_t>(0);
  auto searching = W::equal(found, found);
  for (std::int32_t k = 0; k + 1 < column.count; ++k) {
    const auto sum = W::load(table + (static_cast<std::int64_t>(k) * column.stride + column.offset) * W::width);
    searching = searching & !W::less(target, sum);
    found = W::select(searching, found + 1, found);
  }
  return found;
}

// By halving; about log2(count) reads per lane. Entries must not decrease.
template <warp::Warp W, class T>
PAPILIO_LANEWISE warp::Lanes<W, std::int32_t> search_binary(const T* table, Column column, warp::Lanes<W, T> target) {
  const auto last = W::template splat<std::int32_t>(column.count - 1);
  const auto base = W::lane_id() + column.offset * W::width;
  auto found = W::template splat<std::int32_t>(0);  // number of entries known to be <= target
  std::int32_t step = 1;
  while (step <= (column.count - 1) / 2) step *= 2;
  for (; step > 0; step /= 2) {
    const auto next = found + step;
    const auto inside = !W::less(last, next);
    const auto entry = W::select(inside, next, W::template splat<std::int32_t>(1)) - 1;
    const auto sum = W::gather(table, entry * (column.stride * W::width) + base);
    found = W::select(inside & !W::less(target, sum), next, found);
  }
  return found;
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
