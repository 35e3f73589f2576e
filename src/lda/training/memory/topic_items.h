#pragma once

#include <algorithm>
#include <cstdint>

namespace papilio::lda {

// A run of tokens of one document whose topics a GPU draws.
struct TopicItem {
  std::int64_t first;     // its first token, an index into words and z
  std::int32_t document;  // the row of theta of its document
  std::int32_t count;     // number of its tokens
};

// Puts items into the order in which kernels are fastest: the longest first, so that
// items that share a warp have about the same length and no long one is left for the end.
inline void order_items(TopicItem* items, std::int64_t count) {
  std::stable_sort(items, items + count, [](const TopicItem& a, const TopicItem& b) { return a.count > b.count; });
}

}  // namespace papilio::lda
