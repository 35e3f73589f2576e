#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lda/training/sparse/parallel/list_sizes.h"

// How a corpus is divided for sparse sweeps on a device whose memory does not hold it: into ranges of documents. As
// many ranges as fit stay there; the others are streamed from host memory, one after another, through slots.

namespace papilio::lda {

inline constexpr std::int64_t range_alignment = 256;  // in bytes, for the arrays of a range
inline constexpr int range_arrays = 9;
inline constexpr std::int64_t range_slots = 3;  // one is being filled, one drawn, one emptied
inline constexpr std::int64_t most_tokens_of_range = (std::int64_t{1} << 31) - 1;

// What the arrays of a range take, at most.
struct RangeCosts {
  std::int32_t topics = 0;
  std::int64_t words = 0;
  std::int64_t number_bytes = 2;        // per topic, or place in a document
  std::int64_t document_bytes = 16;     // per document's record
  std::int64_t item_bytes = 12;         // per record of tokens of one word, or of a slice of a document
  std::int64_t tokens_of_part = 1024;   // for a word that has several items
  std::int64_t slice_tokens = 1 << 14;  // per slice of a document that several blocks count,
  std::int64_t most_counted = 1 << 16;  // which they do if it has more tokens than this
  ListSizes lists = ListSizes(1, 4, true);
};

// Sums over documents, and the bytes that follow from them.
struct RangeSize {
  std::int64_t tokens = 0;
  std::int64_t documents = 0;
  std::int64_t list_units = 0;
  std::int64_t slices = 0;
  std::int64_t counted = 0;

  void add(std::int64_t document_tokens, const RangeCosts& costs);
  std::int64_t bytes(const RangeCosts& costs) const;           // on the device
  std::int64_t streamed_bytes(const RangeCosts& costs) const;  // the part of these that is copied there
};

struct RangePlan {
  std::vector<std::int64_t> ends;  // for each range: the document after its last
  std::vector<bool> stays;         // for each range: whether it does
  std::int64_t slots = 0;          // 0 if all ranges stay
  std::int64_t slot_bytes = 0;     // of the largest range that is streamed
  std::int64_t streamed_tokens = 0;
  std::int64_t bytes = 0;  // on the device, at most
};

// The least memory with which a corpus can be divided.
std::int64_t least_range_bytes(std::span<const std::int64_t> document_offsets, const RangeCosts& costs);

// Divides a corpus, given `memory` bytes, at least least_range_bytes, into ranges of at most about `most_bytes` bytes.
RangePlan plan_ranges(std::span<const std::int64_t> document_offsets, const RangeCosts& costs, std::int64_t memory,
                      std::int64_t most_bytes);

}  // namespace papilio::lda
