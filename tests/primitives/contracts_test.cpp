// What the primitives refuse: arrays that cannot be arrays, outputs that share memory, offsets and indices out of
// range.

#include "support/contracts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "papilio/primitives.h"

namespace papilio {
namespace {

using testing::huge;
using testing::lowest;
using testing::misaligned;
using testing::refused;

using Int32s = std::vector<std::int32_t>;
using Int64s = std::vector<std::int64_t>;
template <class T>
using In = VectorView<const T>;
template <class T>
using Out = VectorView<T>;

constexpr int too_many_threads = 5000;

class PrimitivesContract : public ::testing::Test {
 protected:
  Int32s int32_ = {0, 1, 1, 0, 0, 0, 0, 0};
  Int64s int64_ = {0, 2, 4, 4, 4, 4, 4, 4};
  Int64s out_ = Int64s(8);
  Int32s kept_ = Int32s(8);
  std::vector<std::uint8_t> flags_ = {1, 0, 1, 0};
  In<std::int32_t> keys_ = {int32_.data(), 4};
  In<std::int64_t> offsets_ = {int64_.data(), 3};
  In<std::int64_t> longs_ = {int64_.data(), 4};
};

TEST_F(PrimitivesContract, Histogram) {
  const auto call = [&](In<std::int32_t> keys, Out<std::int64_t> counts, int threads = 0) {
    return [=] { histogram(keys, counts, threads); };
  };
  const Out<std::int64_t> counts(out_.data(), 2);
  EXPECT_NO_THROW(call(keys_, counts)());
  EXPECT_TRUE(refused("histogram: keys is null, but 4 entries were given", call({nullptr, 4}, counts)));
  EXPECT_TRUE(refused("histogram: keys has -1 entries, expected 0 or more", call({int32_.data(), -1}, counts)));
  EXPECT_TRUE(refused("entries of 4 bytes, more than an address space holds", call({int32_.data(), huge}, counts)));
  EXPECT_TRUE(refused("the alignment of its type", call({misaligned(int32_.data()), 2}, counts)));
  EXPECT_TRUE(refused("histogram: counts is null, but 2 entries were given", call(keys_, {nullptr, 2})));
  EXPECT_TRUE(refused("histogram: counts has -2 entries", call(keys_, {out_.data(), -2})));
  EXPECT_TRUE(refused("counts is at address", call(keys_, {misaligned(out_.data()), 2})));
  EXPECT_TRUE(refused("key 1 is 1, expected 0 <= key < 1", call(keys_, {out_.data(), 1})));
  EXPECT_TRUE(refused("key 0 is 0, expected 0 <= key < 0", call(keys_, {})));
  EXPECT_TRUE(refused("threads must be 0 (all) or a number up to 4096; got -1", call(keys_, counts, -1)));
  EXPECT_TRUE(refused("threads", call(keys_, counts, too_many_threads)));
  EXPECT_TRUE(
      refused("histogram: counts overlaps keys", [&] { histogram(keys_, Out<std::int32_t>(int32_.data(), 2)); }));
  EXPECT_NO_THROW(call({}, {})());
  EXPECT_NO_THROW(call({nullptr, 0}, counts)());
}

TEST_F(PrimitivesContract, HistogramByKey) {
  const auto call = [&](In<std::int32_t> values, In<std::int64_t> offsets, In<std::int64_t> order,
                        MatrixView<std::int32_t> counts) {
    return [=] { histogram_by_key(values, offsets, order, counts); };
  };
  std::int32_t* const kept = kept_.data();
  const MatrixView<std::int32_t> counts(kept, 2, 2);
  EXPECT_NO_THROW(call(keys_, offsets_, {}, counts)());
  EXPECT_TRUE(refused("values is null", call({nullptr, 4}, offsets_, {}, counts)));
  EXPECT_TRUE(refused("values has -4 entries", call({int32_.data(), -4}, offsets_, {}, counts)));
  EXPECT_TRUE(refused("offsets is null", call(keys_, {nullptr, 3}, {}, counts)));
  EXPECT_TRUE(refused("offsets has -3 entries", call(keys_, {int64_.data(), -3}, {}, counts)));
  EXPECT_TRUE(refused("order is null", call(keys_, offsets_, {nullptr, 4}, counts)));
  EXPECT_TRUE(refused("order is at address", call(keys_, offsets_, {misaligned(int64_.data()), 4}, counts)));
  EXPECT_TRUE(refused("counts is null, but 2 rows x 2 columns", call(keys_, offsets_, {}, {nullptr, 2, 2})));
  EXPECT_TRUE(refused("counts must have sizes >= 0; got 2 rows x -2", call(keys_, offsets_, {}, {kept, 2, -2, 2})));
  EXPECT_TRUE(refused("counts must have sizes >= 0; got -2 rows", call(keys_, offsets_, {}, {kept, -2, 2})));
  EXPECT_TRUE(refused("rows of counts overlap: 2 rows x 2 columns with strides 1 and 1",
                      call(keys_, offsets_, {}, {kept, 2, 2, 1})));
  EXPECT_TRUE(refused("rows of counts overlap", call(keys_, offsets_, {}, {kept, 2, 2, 0})));
  EXPECT_TRUE(refused("rows of counts overlap", call(keys_, offsets_, {}, {kept, 2, 2, 4, 0})));
  EXPECT_TRUE(refused("more than an address space holds", call(keys_, offsets_, {}, {kept, 2, 2, lowest})));
  EXPECT_TRUE(refused("more than an address space holds", call(keys_, offsets_, {}, {kept, 2, huge})));
  EXPECT_TRUE(refused("one entry more than counts has rows", call(keys_, offsets_, {}, {kept, huge, 0})));
  EXPECT_TRUE(refused("one entry more than counts has rows; got 0", call(keys_, {}, {}, {kept, 0, 0})));
  EXPECT_TRUE(refused("counts overlaps values", call(keys_, offsets_, {}, {int32_.data(), 2, 2})));
  EXPECT_TRUE(refused("value 1 is 1, expected 0 <= value < 1", call(keys_, offsets_, {}, {kept, 2, 1})));
  EXPECT_TRUE(refused("value 0 is 0, expected 0 <= value < 0", call(keys_, offsets_, {}, {kept, 2, 0})));
  const Int64s falling = {0, 4, 2}, long_order = {0, 1, 2, 9}, negative = {-1, 2, 4};
  EXPECT_TRUE(refused("offset 2 is 2, expected 4 <= offset <= 4", call(keys_, falling, {}, counts)));
  EXPECT_TRUE(refused("offset 0 is -1, expected 0 <= offset <= 4", call(keys_, negative, {}, counts)));
  EXPECT_TRUE(refused("order 3 is 9, expected 0 <= order < 4", call(keys_, offsets_, long_order, counts)));
  EXPECT_NO_THROW(call(keys_, offsets_, {}, {kept, 2, 2, 1, 2})());       // columns next to each other
  EXPECT_NO_THROW(call(keys_, offsets_, {}, {kept + 2, 2, 2, -2})());     // from the last row up
  EXPECT_NO_THROW(call({}, In<std::int64_t>(out_.data(), 1), {}, {})());  // no rows
}

TEST_F(PrimitivesContract, ExclusiveScan) {
  const auto call = [&](In<std::int64_t> values, Out<std::int64_t> sums, int threads = 0) {
    return [=] { exclusive_scan(values, sums, threads); };
  };
  EXPECT_TRUE(refused("values is null", call({nullptr, 4}, {out_.data(), 4})));
  EXPECT_TRUE(refused("values has -1 entries", call({int64_.data(), -1}, {})));
  EXPECT_TRUE(refused("sums is null", call(longs_, {nullptr, 4})));
  EXPECT_TRUE(refused("sums has -4 entries", call(longs_, {out_.data(), -4})));
  EXPECT_TRUE(refused("sums is at address", call(longs_, {misaligned(out_.data()), 4})));
  EXPECT_TRUE(refused("as many entries as values, or one more; got 6 for 4", call(longs_, {out_.data(), 6})));
  EXPECT_TRUE(refused("sums overlaps values", call(longs_, {int64_.data() + 1, 4})));
  EXPECT_TRUE(refused("sums overlaps values", [&] {
    exclusive_scan(In<std::int32_t>(keys_), {std::bit_cast<std::int64_t*>(int32_.data()), 4});
  }));
  EXPECT_TRUE(refused("threads", call(longs_, {out_.data(), 4}, -1)));
  EXPECT_NO_THROW(call(longs_, {int64_.data(), 4})());
  EXPECT_NO_THROW(call({}, {})());
  Int64s one(1, 7);
  EXPECT_EQ(exclusive_scan(In<std::int64_t>{}, one), 0);
  EXPECT_EQ(one[0], 0);
}

// With options: what is wrong is written to the status, where there is one, and no workspace is needed on the CPU.
TEST_F(PrimitivesContract, PassOptionsOfCountingCalls) {
  std::int64_t word = 0;
  const PassOptions options{.status = {&word, 1}};
  const Out<std::int64_t> three(out_.data(), 3), four(out_.data(), 4), starts(int64_.data(), 3), none;
  histogram(keys_, three, options);
  EXPECT_EQ(primitive_status(word), PrimitiveStatus{});
  histogram(keys_, Out<std::int64_t>(out_.data(), 1), options);
  EXPECT_EQ(primitive_status(word), (PrimitiveStatus{PrimitiveError::index_out_of_range, 1}));
  sort_by_key(keys_, Out<std::int64_t>(int64_.data(), 2), four, options);
  EXPECT_EQ(primitive_status(word), (PrimitiveStatus{PrimitiveError::index_out_of_range, 1}));
  sort_by_key(keys_, starts, four, options);
  EXPECT_EQ(primitive_status(word), PrimitiveStatus{});
  const Int64s large = {std::numeric_limits<std::int64_t>::max(), 1};
  exclusive_scan(In<std::int64_t>(large), Out<std::int64_t>(out_.data(), 2), options);
  EXPECT_EQ(primitive_status(word), (PrimitiveStatus{PrimitiveError::sum_overflow, 2}));
  EXPECT_EQ(exclusive_scan(keys_, Out<std::int64_t>(out_.data(), 5), options), 2);
  EXPECT_EQ(primitive_status(word), PrimitiveStatus{});
  Int64s words(2);
  EXPECT_TRUE(refused("status must have one entry, or none; got 2", [&] {
    histogram(keys_, three, PassOptions{.status = {words.data(), 2}});
  }));
  EXPECT_TRUE(refused("threads", [&] { sort_by_key(keys_, starts, four, PassOptions{.threads = -1}); }));
  EXPECT_EQ(exclusive_scan_workspace_bytes(keys_, four), 0);
  EXPECT_EQ(sort_by_key_workspace_bytes(keys_, starts, four), 0);
  EXPECT_TRUE(refused("sums must have as many entries as values, or one more; got 1 for 2", [&] {
    exclusive_scan_workspace_bytes(In<std::int64_t>(large), Out<std::int64_t>(out_.data(), 1));
  }));
  EXPECT_TRUE(refused("order must have one entry per item", [&] { sort_by_key_workspace_bytes(keys_, starts, none); }));
}

TEST_F(PrimitivesContract, Compact) {
  const auto call = [&](In<std::int32_t> values, In<std::uint8_t> flags, Out<std::int32_t> kept, int threads = 0) {
    return [=] { compact(values, flags, kept, threads); };
  };
  const Out<std::int32_t> kept(kept_.data(), 4);
  EXPECT_TRUE(refused("values is null", call({nullptr, 4}, flags_, kept)));
  EXPECT_TRUE(refused("flags is null", call(keys_, {nullptr, 4}, kept)));
  EXPECT_TRUE(refused("kept is null", call(keys_, flags_, {nullptr, 4})));
  EXPECT_TRUE(refused("kept has -4 entries", call(keys_, flags_, {kept_.data(), -4})));
  EXPECT_TRUE(refused("flags must have one entry per value; got 2 for 4", call(keys_, {flags_.data(), 2}, kept)));
  EXPECT_TRUE(refused("kept has room for 1 values, 2 are flagged", call(keys_, flags_, {kept_.data(), 1})));
  EXPECT_TRUE(refused("only where threads is 1", call(keys_, flags_, {int32_.data(), 4}, 2)));
  EXPECT_TRUE(refused("kept overlaps values", call(keys_, flags_, {int32_.data() + 1, 4}, 1)));
  EXPECT_TRUE(refused("kept overlaps flags", call(keys_, {std::bit_cast<std::uint8_t*>(kept_.data()), 4}, kept)));
  EXPECT_TRUE(refused("threads", call(keys_, flags_, kept, too_many_threads)));
  EXPECT_NO_THROW(call(keys_, flags_, {int32_.data(), 4}, 1)());
  EXPECT_EQ(compact({}, {}, {}), 0);
}

TEST_F(PrimitivesContract, SortByKey) {
  const auto call = [&](In<std::int32_t> keys, Out<std::int64_t> offsets, Out<std::int64_t> order, int threads = 0) {
    return [=] { sort_by_key(keys, offsets, order, threads); };
  };
  const Out<std::int64_t> offsets(int64_.data(), 3), order(out_.data(), 4);
  EXPECT_NO_THROW(call(keys_, offsets, order)());
  EXPECT_TRUE(refused("keys is null", call({nullptr, 4}, offsets, order)));
  EXPECT_TRUE(refused("keys has -4 entries", call({int32_.data(), -4}, offsets, order)));
  EXPECT_TRUE(refused("offsets is null", call(keys_, {nullptr, 3}, order)));
  EXPECT_TRUE(refused("order is null", call(keys_, offsets, {nullptr, 4})));
  EXPECT_TRUE(refused("order is at address", call(keys_, offsets, {misaligned(out_.data()), 4})));
  EXPECT_TRUE(refused("order must have one entry per item; got 3 for 4", call(keys_, offsets, {out_.data(), 3})));
  EXPECT_TRUE(refused("one entry more than there are keys; got 0", call(keys_, {}, order)));
  EXPECT_TRUE(refused("key 1 is 1, expected 0 <= key < 1", call(keys_, {int64_.data(), 2}, order)));
  EXPECT_TRUE(refused("order overlaps offsets", call(keys_, offsets, {int64_.data() + 2, 4})));
  EXPECT_TRUE(refused("threads", call(keys_, offsets, order, -1)));
  EXPECT_NO_THROW(call({}, {int64_.data(), 1}, {})());
}

}  // namespace
}  // namespace papilio
