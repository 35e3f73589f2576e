#pragma once

#include <cstdint>

#include "primitives/by_index/accumulator.h"
#include "primitives/parts.h"

namespace papilio::primitives {

// Items to be reduced by index.
template <class Index>
struct IndexedItems {
  const Index* indices;
  const void* values;  // null: counts
  std::int64_t count;
  std::int64_t bins;
  bool skip_out_of_range;
};

// What was found wrong first, if anything.
struct ScatterResult {
  std::int64_t wrong_index;  // an item, or FirstWrong::none
  std::int64_t overflow;     // a bin, or FirstWrong::none
  bool left_type;            // a sum of integers overflowed its type on the way, so the result is useless;
  bool in_out;               // then, whether `out` includes all items, modulo the size of its type
};

// Adds the items to `out`, which has `bins` entries, on up to `threads` threads.
template <class Index>
ScatterResult scatter(const IndexedItems<Index>& items, const Accumulator& accumulator, void* out, int threads);

}  // namespace papilio::primitives
