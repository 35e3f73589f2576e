#pragma once

#include <cstdint>

#include "warp/portability.h"

// Documents' lists of topics and counts, for every processor.

namespace papilio::lda::sparse {

// An entry of a document's list: a topic and the number of tokens that have it. Narrow entries suffice for up to 2^16
// topics and documents of fewer than 2^16 tokens.
struct NarrowEntry {
  using Number = std::uint16_t;  // a topic, or a place in a list or a document
  std::uint32_t bits;
  PAPILIO_LANEWISE std::uint32_t topic() const { return bits >> 16; }
  PAPILIO_LANEWISE std::uint32_t count() const { return bits & 0xffff; }
  PAPILIO_LANEWISE static NarrowEntry of(std::uint32_t topic, std::uint32_t count) { return {topic << 16 | count}; }
};
struct alignas(8) WideEntry {
  using Number = std::uint32_t;
  std::uint32_t topic_;
  std::uint32_t count_;
  PAPILIO_LANEWISE std::uint32_t topic() const { return topic_; }
  PAPILIO_LANEWISE std::uint32_t count() const { return count_; }
  PAPILIO_LANEWISE static WideEntry of(std::uint32_t topic, std::uint32_t count) { return {topic, count}; }
};

// A list is summed in this many lanes; entry i is in lane i mod 8.
inline constexpr std::uint32_t lanes = 8;

// A document's list: its topics in ascending order, starting at entry `lanes * group`. Empty entries
// pad it to a multiple of `lanes`.
struct ListPlace {
  std::uint32_t group;
  std::uint32_t size;
};

}  // namespace papilio::lda::sparse
