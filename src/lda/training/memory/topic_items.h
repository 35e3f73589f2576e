#pragma once

#include <algorithm>
#include <cstdint>

namespace papilio::lda {

// A run of tokens of one document, for a GPU to draw the topics of.
struct TopicItem {
  std::int64_t first;     // its first token, an index into words and z
  std::int32_t document;  // the row of theta of its document
  std::int32_t count;     // tokens
};

// Puts items into the order in which kernels are fastest: the longest first, so that
// those that share a warp are of like length and none is left over at the end.
inline void order_items(TopicItem* items, std::int64_t count) {
  std::stable_sort(items, items + count, [](const TopicItem& a, const TopicItem& b) { return a.count > b.count; });
}

}  // namespace papilio::lda
