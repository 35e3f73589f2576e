#include "lda/training/sparse/parallel/ranges/range_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

// How a corpus is divided for a device whose memory does not hold it: arithmetic alone, without a device.
namespace papilio::lda {
namespace {

std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> offsets = {0};
  for (const std::int64_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

RangeCosts costs(std::int32_t topics) { return {.topics = topics, .words = 1000, .lists = ListSizes(topics, 4, true)}; }

RangeSize size_of(const std::vector<std::int64_t>& offsets, std::int64_t first, std::int64_t end,
                  const RangeCosts& of) {
  RangeSize size;
  for (auto d = static_cast<std::size_t>(first); d < static_cast<std::size_t>(end); ++d) {
    size.add(offsets[d + 1] - offsets[d], of);
  }
  return size;
}

// What a plan says of itself holds, whatever it is.
void expect_sound(const RangePlan& plan, const std::vector<std::int64_t>& offsets, const RangeCosts& of,
                  std::int64_t memory) {
  ASSERT_EQ(plan.ends.size(), plan.stays.size());
  ASSERT_FALSE(plan.ends.empty());
  EXPECT_EQ(plan.ends.back(), static_cast<std::int64_t>(offsets.size()) - 1);
  std::int64_t first = 0, bytes = plan.slots * plan.slot_bytes, streamed = 0, streamed_ranges = 0;
  for (std::size_t r = 0; r < plan.ends.size(); ++r) {
    EXPECT_GE(plan.ends[r], first);
    const RangeSize size = size_of(offsets, first, plan.ends[r], of);
    EXPECT_LE(size.tokens, most_tokens_of_range);
    if (plan.stays[r]) {
      bytes += size.bytes(of);
    } else {
      EXPECT_LE(size.bytes(of), plan.slot_bytes);
      streamed += size.tokens;
      ++streamed_ranges;
    }
    first = plan.ends[r];
  }
  EXPECT_EQ(plan.bytes, bytes);
  EXPECT_LE(plan.bytes, memory);
  EXPECT_EQ(plan.streamed_tokens, streamed);
  EXPECT_EQ(plan.slots > 0, streamed_ranges > 0);
}

TEST(RangePlan, HoldsInEveryMemoryThatDoes) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t d = 0; d < 2000; ++d) lengths.push_back(d % 7 == 0 ? 0 : 1 + d * d % 500);
  lengths[3] = 70'000;  // which several blocks count
  const std::vector<std::int64_t> offsets = offsets_of(lengths);
  for (const std::int32_t topics : {1, 100, 5000}) {
    const RangeCosts of = costs(topics);
    const std::int64_t least = least_range_bytes(offsets, of);
    const std::int64_t all = size_of(offsets, 0, 2000, of).bytes(of);
    std::int64_t streamed_before = offsets.back();
    for (std::int64_t memory = least; memory < 2 * all; memory += memory / 9) {
      SCOPED_TRACE(memory);
      const RangePlan plan = plan_ranges(offsets, of, memory, std::int64_t{1} << 40);
      expect_sound(plan, offsets, of, memory);
      if (memory >= all) {
        EXPECT_EQ(plan.ends.size(), 1u);
        EXPECT_EQ(plan.slots, 0);
      }
      streamed_before = plan.streamed_tokens;
      expect_sound(plan_ranges(offsets, of, memory, 1), offsets, of, memory);
    }
    EXPECT_EQ(streamed_before, 0);
  }
}

TEST(RangePlan, LetsRangesStayAndSpreadsThem) {
  const std::vector<std::int64_t> offsets = offsets_of(std::vector<std::int64_t>(100, 100));
  const RangeCosts of = costs(50);
  const std::int64_t one = size_of(offsets, 0, 1, of).bytes(of);
  const RangePlan plan = plan_ranges(offsets, of, 53 * one, 1);  // a document a range
  ASSERT_EQ(plan.ends.size(), 100u);
  EXPECT_EQ(plan.slots, range_slots);
  EXPECT_EQ(plan.slot_bytes, one);
  EXPECT_EQ(std::count(plan.stays.begin(), plan.stays.end(), true), 50);
  for (std::size_t r = 0; r < 100; r += 2) EXPECT_NE(plan.stays[r], plan.stays[r + 1]);
  EXPECT_EQ(plan.streamed_tokens, 5000);
  EXPECT_EQ(plan.bytes, 53 * one);
}

TEST(RangePlan, SaysTheLeast) {
  const RangeCosts of = costs(50);
  // Three slots for the longest document, or room for all.
  const std::vector<std::int64_t> many = offsets_of(std::vector<std::int64_t>(100, 100));
  EXPECT_EQ(least_range_bytes(many, of), range_slots * size_of(many, 0, 1, of).bytes(of));
  const std::vector<std::int64_t> one = offsets_of({100'000});
  const std::int64_t all = size_of(one, 0, 1, of).bytes(of);
  EXPECT_EQ(least_range_bytes(one, of), all);
  expect_sound(plan_ranges(one, of, all, 1), one, of, all);
  const std::vector<std::int64_t> two = offsets_of({100'000, 1});
  expect_sound(plan_ranges(two, of, least_range_bytes(two, of), 1), two, of, least_range_bytes(two, of));
  const std::vector<std::int64_t> none = offsets_of({0, 0});
  expect_sound(plan_ranges(none, of, least_range_bytes(none, of), 1), none, of, least_range_bytes(none, of));
}

// More than 2^32 tokens: no range has 2^31, though all would fit.
TEST(RangePlan, NumbersTokensWith32BitsInARange) {
  const std::int64_t document = std::int64_t{1} << 29;
  const std::vector<std::int64_t> offsets = offsets_of(std::vector<std::int64_t>(10, document));
  const RangeCosts of = costs(50);
  const std::int64_t memory = std::int64_t{1} << 40;
  const RangePlan plan = plan_ranges(offsets, of, memory, memory);
  expect_sound(plan, offsets, of, memory);
  EXPECT_EQ(plan.ends, (std::vector<std::int64_t>{3, 6, 9, 10}));
  EXPECT_EQ(plan.slots, 0);
  EXPECT_GE(least_range_bytes(offsets, of), range_slots * size_of(offsets, 0, 1, of).bytes(of));
}

TEST(ListSizes, HaveRoomForEveryTopic) {
  const ListSizes narrow(1024, 4, true), wide(1024, 8, true), never(1024, 4, false);
  EXPECT_EQ(narrow.count_bits, 6);
  EXPECT_EQ(narrow.units(0), 0);
  EXPECT_EQ(narrow.units(1), 0);  // its list is its topic
  EXPECT_EQ(narrow.units(2), 1);  // 8 entries of 2 bytes
  EXPECT_EQ(narrow.units(9), 2);
  EXPECT_EQ(narrow.units(200), 26);  // whole sectors of memory
  EXPECT_TRUE(narrow.is_short(504));
  EXPECT_FALSE(narrow.is_short(505));  // 8 counts of 63 have room
  EXPECT_EQ(narrow.units(505), 512 * 4 / list_unit);
  EXPECT_EQ(wide.units(200), 200 * 8 / list_unit);
  EXPECT_EQ(never.units(200), 200 * 4 / list_unit);
  EXPECT_EQ(narrow.units(std::int64_t{1} << 31), 1024 * 4 / list_unit);
}

}  // namespace
}  // namespace papilio::lda
