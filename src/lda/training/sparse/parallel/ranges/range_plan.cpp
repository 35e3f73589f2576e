#include "lda/training/sparse/parallel/ranges/range_plan.h"

#include <algorithm>
#include <cstddef>

#include "base/math.h"

namespace papilio::lda {
namespace {

std::int64_t largest_document_bytes(std::span<const std::int64_t> offsets, const RangeCosts& costs) {
  std::int64_t most = 0;
  for (std::size_t d = 1; d < offsets.size(); ++d) {
    RangeSize document;
    document.add(offsets[d] - offsets[d - 1], costs);
    most = std::max(most, document.bytes(costs));
  }
  return most;
}

// Consecutive ranges of documents, of at most `most_bytes` each, or of one document.
std::vector<RangeSize> cut_ranges(std::span<const std::int64_t> offsets, const RangeCosts& costs,
                                  std::int64_t most_bytes, std::vector<std::int64_t>& ends) {
  std::vector<RangeSize> sizes;
  RangeSize range;
  bool is_empty = true;
  for (std::size_t d = 1; d < offsets.size(); ++d) {
    RangeSize longer = range;
    longer.add(offsets[d] - offsets[d - 1], costs);
    if (!is_empty && (longer.bytes(costs) > most_bytes || longer.tokens > most_tokens_of_range)) {
      sizes.push_back(range);
      ends.push_back(static_cast<std::int64_t>(d) - 1);
      longer = {};
      longer.add(offsets[d] - offsets[d - 1], costs);
    }
    range = longer;
    is_empty = false;
  }
  sizes.push_back(range);
  ends.push_back(std::max<std::int64_t>(std::ssize(offsets) - 1, 0));
  return sizes;
}

// The ranges that stay are spread evenly among the others, so that copies run while they are drawn.
std::vector<bool> spread(std::int64_t ranges, std::int64_t staying) {
  std::vector<bool> stays;
  for (std::int64_t r = 0; r < ranges; ++r) stays.push_back((r + 1) * staying / ranges > r * staying / ranges);
  return stays;
}

}  // namespace

void RangeSize::add(std::int64_t document_tokens, const RangeCosts& costs) {
  if (document_tokens == 0) return;
  tokens += document_tokens;
  ++documents;
  list_units += costs.lists.units(document_tokens);
  if (document_tokens <= costs.most_counted) return;
  slices += base::ceil_div(document_tokens, costs.slice_tokens);
  ++counted;
}

std::int64_t RangeSize::streamed_bytes(const RangeCosts& costs) const {
  const std::int64_t items = std::min(costs.words, tokens) + tokens / costs.tokens_of_part;
  return tokens * (std::int64_t{sizeof(std::int32_t)} + 2 * costs.number_bytes) + documents * costs.document_bytes +
         (items + slices) * costs.item_bytes + range_arrays * range_alignment;
}

std::int64_t RangeSize::bytes(const RangeCosts& costs) const {
  return streamed_bytes(costs) + list_units * list_unit + counted * costs.topics * std::int64_t{sizeof(std::int32_t)};
}

std::int64_t least_range_bytes(std::span<const std::int64_t> offsets, const RangeCosts& costs) {
  RangeSize all;
  for (std::size_t d = 1; d < offsets.size(); ++d) all.add(offsets[d] - offsets[d - 1], costs);
  const std::int64_t in_slots = range_slots * largest_document_bytes(offsets, costs);
  return all.tokens <= most_tokens_of_range ? std::min(all.bytes(costs), in_slots) : in_slots;
}

RangePlan plan_ranges(std::span<const std::int64_t> offsets, const RangeCosts& costs, std::int64_t memory,
                      std::int64_t most_bytes) {
  RangePlan plan;
  RangeSize all;
  for (std::size_t d = 1; d < offsets.size(); ++d) all.add(offsets[d] - offsets[d - 1], costs);
  const std::int64_t document = largest_document_bytes(offsets, costs);
  const bool is_one = all.bytes(costs) <= memory && all.tokens <= most_tokens_of_range &&
                      (all.bytes(costs) <= most_bytes || range_slots * document > memory);
  // A slot for each of three ranges, and room for some ranges that stay.
  const std::int64_t shared = std::max(memory / (range_slots + 1), document);
  const std::vector<RangeSize> sizes =
      cut_ranges(offsets, costs, is_one ? memory : std::min(shared, most_bytes), plan.ends);
  std::int64_t sum = 0, largest = 0;
  for (const RangeSize& range : sizes) {
    sum += range.bytes(costs);
    largest = std::max(largest, range.bytes(costs));
  }
  const std::int64_t ranges = std::ssize(sizes);
  if (sum <= memory) {
    plan.stays.assign(static_cast<std::size_t>(ranges), true);
    plan.bytes = sum;
    return plan;
  }
  plan.slots = std::min(range_slots, ranges);
  plan.slot_bytes = largest;
  const std::int64_t left = std::max<std::int64_t>(memory - plan.slots * largest, 0);
  plan.stays = spread(ranges, std::min(left / largest, ranges - 1));
  plan.bytes = plan.slots * largest;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    if (plan.stays[r]) {
      plan.bytes += sizes[r].bytes(costs);
    } else {
      plan.streamed_tokens += sizes[r].tokens;
    }
  }
  return plan;
}

}  // namespace papilio::lda
