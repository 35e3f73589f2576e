// What the calls that work where their arrays are refuse: arrays that cannot be arrays, outputs that share memory,
// offsets, indices and enumerators out of range, arrays on several devices.

#include "support/contracts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "papilio/primitives.h"
#include "papilio/scan_with.h"
#include "support/devices.h"

namespace papilio {
namespace {

using testing::huge;
using testing::misaligned;
using testing::no_enumerator;
using testing::refused;
using testing::vector_on_cuda;

template <class T>
using In = VectorView<const T>;
template <class T>
using Out = VectorView<T>;

constexpr int too_many_threads = 5000;

bool has_cuda_device() {
  try {
    Device::cuda();
  } catch (const DeviceUnavailable&) {
    return false;
  }
  return true;
}

class ArraysContract : public ::testing::Test {
 protected:
  std::vector<std::int32_t> int32_ = {0, 1, 1, 0};
  std::vector<std::int64_t> int64_ = {0, 2, 4, 4};
  std::vector<float> floats_ = {1, 2, 3, 4}, out_ = {5, 6, 7, 8, 9};
  std::vector<std::int64_t> longs_ = {1, 2, 3, 4};
  std::vector<std::uint8_t> flags_ = {1, 0, 1, 0};
  In<std::int32_t> indices_ = int32_;
  In<std::int64_t> offsets_ = {int64_.data(), 3};
  In<float> values_ = floats_;
  In<std::uint8_t> starts_ = flags_;
};

TEST_F(ArraysContract, ReduceByIndex) {
  const auto call = [&](In<std::int32_t> indices, In<float> values, Out<float> out, ReduceByIndexOptions options = {}) {
    return [=] { reduce_by_index(indices, values, out, options); };
  };
  const Out<float> bins(out_.data(), 2);
  EXPECT_NO_THROW(call(indices_, values_, bins)());
  EXPECT_NO_THROW(call({}, {}, {})());
  EXPECT_TRUE(refused("reduce_by_index: indices is null, but 4 entries", call({nullptr, 4}, values_, bins)));
  EXPECT_TRUE(refused("values has -1 entries", call(indices_, {floats_.data(), -1}, bins)));
  EXPECT_TRUE(refused("more than an address space holds", call(indices_, values_, {out_.data(), huge})));
  EXPECT_TRUE(refused("out is at address", call(indices_, values_, {misaligned(out_.data()), 2})));
  EXPECT_TRUE(refused("values must have one entry per index; got 3 for 4", call(indices_, {floats_.data(), 3}, bins)));
  EXPECT_TRUE(refused("out overlaps values", call(indices_, values_, {floats_.data() + 2, 2})));
  EXPECT_TRUE(refused("index 1 is 1, expected 0 <= index < 1", call(indices_, values_, {out_.data(), 1})));
  EXPECT_TRUE(refused("index 0 is 0, expected 0 <= index < 0", call(indices_, values_, {})));
  EXPECT_TRUE(refused("bit_and is for integers only", call(indices_, values_, bins, {.op = ReduceOp::bit_and})));
  EXPECT_TRUE(refused("unknown operator 99", call(indices_, values_, bins, {.op = no_enumerator<ReduceOp>()})));
  EXPECT_TRUE(refused("threads", call(indices_, values_, bins, {.threads = too_many_threads})));
  EXPECT_TRUE(refused("threads", call(indices_, values_, bins, {.threads = -1})));
  EXPECT_TRUE(refused("status must have one entry, or none; got 2",
                      call(indices_, values_, bins, {.status = {longs_.data(), 2}})));
  EXPECT_TRUE(refused("values is on cuda:0, the output on cpu", call(indices_, vector_on_cuda<const float>(), bins)));
  EXPECT_TRUE(refused("indices is on cpu, the output on cuda:0", call(indices_, values_, vector_on_cuda<float>())));
  EXPECT_TRUE(refused("op must be sum where there are no values; got maximum", [&] {
    reduce_by_index<std::int32_t, std::int64_t>(indices_, longs_, {.op = ReduceOp::maximum});
  }));
  EXPECT_EQ((reduce_by_index_workspace_bytes<std::int32_t, float>(indices_, values_, bins)), 0);
  EXPECT_EQ((reduce_by_index_workspace_bytes<std::int32_t, std::int64_t>(indices_, longs_)), 0);
  if (has_cuda_device()) return;  // it would be served
  EXPECT_THROW(call(vector_on_cuda<const std::int32_t>(), vector_on_cuda<const float>(), vector_on_cuda<float>())(),
               Error);
}

TEST_F(ArraysContract, SegmentedReduce) {
  const auto call = [&](In<std::int64_t> offsets, In<float> values, Out<float> out,
                        SegmentedReduceOptions options = {}) {
    return [=] { segmented_reduce(offsets, values, out, options); };
  };
  const Out<float> sums(out_.data(), 2);
  EXPECT_NO_THROW(call(offsets_, values_, sums)());
  EXPECT_NO_THROW(call({int64_.data(), 1}, {}, {})());  // no segments
  EXPECT_TRUE(refused("offsets must have one entry more than out; got 0 for 0", call({}, {}, {})));
  EXPECT_TRUE(
      refused("offsets must have one entry more than out; got 3 for 3", call(offsets_, values_, {out_.data(), 3})));
  EXPECT_TRUE(refused("segmented_reduce: values is null", call(offsets_, {nullptr, 4}, sums)));
  EXPECT_TRUE(refused("out overlaps values", call(offsets_, values_, {floats_.data(), 2})));
  EXPECT_TRUE(refused("bit_or is for integers only", call(offsets_, values_, sums, {.op = ReduceOp::bit_or})));
  EXPECT_TRUE(refused("threads", call(offsets_, values_, sums, {.threads = -1})));
  EXPECT_TRUE(refused("offsets is on cuda:0", call(vector_on_cuda<const std::int64_t>(), values_, {out_.data(), 3})));
  const std::vector<std::int64_t> falling = {0, 3, 2}, negative = {-1, 2, 4}, beyond = {0, 2, 5};
  EXPECT_TRUE(refused("offset 2 is 2, expected 3 <= offset <= 4", call(falling, values_, sums)));
  EXPECT_TRUE(refused("offset 0 is -1, expected 0 <= offset <= 4", call(negative, values_, sums)));
  EXPECT_TRUE(refused("offset 2 is 5, expected 2 <= offset <= 4", call(beyond, values_, sums)));
  std::int64_t word = 0;
  call(falling, values_, sums, {.status = {&word, 1}})();
  EXPECT_EQ(primitive_status(word), (PrimitiveStatus{PrimitiveError::offset_out_of_range, 2}));
  EXPECT_EQ(segmented_reduce_workspace_bytes(offsets_, values_, sums), 0);
}

TEST_F(ArraysContract, Scan) {
  const auto call = [&](In<float> values, Out<float> out, ScanOptions options = {}) {
    return [=] { scan(values, out, options); };
  };
  const Out<float> out(out_.data(), 4);
  EXPECT_NO_THROW(call(values_, out)());
  EXPECT_NO_THROW(call({}, {})());
  EXPECT_NO_THROW(call(values_, out_, {.exclusive = true})());
  EXPECT_EQ(out_, (std::vector<float>{0, 1, 3, 6, 10}));
  EXPECT_TRUE(refused("out must have as many entries as values, or for an exclusive scan one more; got 5 for 4",
                      call(values_, out_)));
  EXPECT_TRUE(refused("out overlaps values", call(values_, {floats_.data() + 1, 4})));
  EXPECT_NO_THROW(call(values_, {floats_.data(), 4})());
  EXPECT_TRUE(refused("scan: out is null", call(values_, {nullptr, 4})));
  EXPECT_TRUE(refused("bit_xor is for integers only", call(values_, out, {.op = ReduceOp::bit_xor})));
  EXPECT_TRUE(refused("unknown operator", call(values_, out, {.op = no_enumerator<ReduceOp>()})));
  EXPECT_TRUE(refused("values is on cuda:0", call(vector_on_cuda<const float>(), out)));
  EXPECT_EQ(scan_workspace_bytes(values_, out), 0);
}

TEST_F(ArraysContract, SegmentedScan) {
  const Out<float> out(out_.data(), 4);
  const std::vector<std::int64_t> beyond = {0, 9};
  const auto by_flags = [&](In<std::uint8_t> flags, Out<float> to) {
    return [=, this] { segmented_scan(flags, values_, to); };
  };
  const auto by_offsets = [&](In<std::int64_t> offsets, Out<float> to) {
    return [=, this] { segmented_scan(offsets, values_, to); };
  };
  EXPECT_NO_THROW(by_flags(starts_, out)());
  EXPECT_NO_THROW(by_offsets(offsets_, out)());
  EXPECT_TRUE(refused("flags must have one entry per value; got 3 for 4", by_flags({flags_.data(), 3}, out)));
  EXPECT_TRUE(refused("flags is on cuda:0", by_flags(vector_on_cuda<const std::uint8_t>(), out)));
  EXPECT_TRUE(refused("out must have as many entries as values; got 5 for 4", by_offsets(offsets_, out_)));
  EXPECT_TRUE(refused("one entry more than there are segments; got 0", by_offsets({}, out)));
  EXPECT_TRUE(refused("offset 1 is 9, expected 0 <= offset <= 4", by_offsets(beyond, out)));
  EXPECT_EQ(segmented_scan_workspace_bytes(starts_, values_, out), 0);
  EXPECT_EQ(segmented_scan_workspace_bytes(offsets_, values_, out), 0);
  // Values outside of the offsets are left alone.
  const std::vector<std::int64_t> middle = {1, 3};
  out_ = {-1, -1, -1, -1, -1};
  by_offsets(middle, out)();
  EXPECT_EQ(out_, (std::vector<float>{-1, 2, 5, -1, -1}));
}

TEST_F(ArraysContract, Compact) {
  const auto call = [&](In<std::uint8_t> flags, In<float> values, Out<float> kept, CompactOptions options = {}) {
    return [=] { compact(flags, values, kept, options); };
  };
  const Out<float> kept(out_.data(), 2);
  EXPECT_NO_THROW(call(starts_, values_, kept)());
  EXPECT_TRUE(refused("flags must have one entry per value; got 4 for 3", call(starts_, {floats_.data(), 3}, kept)));
  EXPECT_TRUE(refused("kept has room for 1 values, 2 are flagged", call(starts_, values_, {out_.data(), 1})));
  EXPECT_TRUE(refused("kept overlaps values", call(starts_, values_, {floats_.data(), 4})));
  EXPECT_TRUE(refused("kept is null", call(starts_, values_, {nullptr, 2})));
  EXPECT_TRUE(refused("kept has -2 entries", call(starts_, values_, {out_.data(), -2})));
  EXPECT_TRUE(refused("values is at address", call(starts_, {misaligned(floats_.data()), 4}, kept)));
  EXPECT_TRUE(refused("more than an address space holds", call(starts_, values_, {out_.data(), huge})));
  EXPECT_TRUE(refused("count must have one entry, or none; got 2",
                      call(starts_, values_, kept, {.count = {longs_.data(), 2}})));
  EXPECT_TRUE(refused("values is on cuda:0", call(starts_, vector_on_cuda<const float>(), kept)));
  std::int64_t word = 0;
  call(starts_, values_, {out_.data(), 1}, {.status = {&word, 1}})();
  EXPECT_EQ(primitive_status(word), (PrimitiveStatus{PrimitiveError::no_room, 2}));
  EXPECT_EQ(compact_workspace_bytes(starts_, values_, kept), 0);
}

TEST_F(ArraysContract, Transpose) {
  const auto call = [&](MatrixView<const float> in, MatrixView<float> out, TransposeOptions options = {}) {
    return [=] { transpose(in, out, options); };
  };
  const MatrixView<const float> in(floats_.data(), 2, 2);
  const MatrixView<float> out(out_.data(), 2, 2);
  EXPECT_NO_THROW(call(in, out)());
  EXPECT_NO_THROW(call({nullptr, 0, 3}, {nullptr, 3, 0})());
  EXPECT_TRUE(refused("out must have as many rows as in has columns", call(in, {out_.data(), 2, 1})));
  EXPECT_TRUE(refused("out overlaps in", call(in, {floats_.data(), 2, 2})));
  EXPECT_TRUE(refused("elements of out overlap", call(in, {out_.data(), 2, 2, 1})));
  EXPECT_TRUE(refused("elements of out overlap", call({floats_.data(), 1, 2}, {out_.data(), 2, 1}, {.batch = 2})));
  EXPECT_TRUE(refused("in is null", call({nullptr, 2, 2}, out)));
  EXPECT_TRUE(refused("out is at address", call(in, {misaligned(out_.data()), 2, 2})));
  EXPECT_TRUE(refused("in must have sizes >= 0", call({floats_.data(), -1, 2}, out)));
  EXPECT_TRUE(refused("batch must be >= 0; got -1", call(in, out, {.batch = -1})));
  EXPECT_TRUE(refused("more than an address space holds", call({floats_.data(), 2, 2, huge}, out)));
  EXPECT_TRUE(refused("threads", call(in, out, {.threads = -1})));
  EXPECT_TRUE(refused("in is on cuda:0, the output on cpu", call(testing::matrix_on_cuda<const float>(), out)));
}

TEST_F(ArraysContract, ScanWith) {
  const auto plus = [](float a, float b) { return a + b; };
  const auto call = [&](In<float> values, Out<float> out, int threads = 0) {
    return [=] { scan_with(values, out, plus, 0.0f, ScanWithOptions{.threads = threads}); };
  };
  const Out<float> out(out_.data(), 4);
  EXPECT_NO_THROW(call(values_, out)());
  EXPECT_NO_THROW(call({}, {})());
  EXPECT_TRUE(refused("out must have as many entries as values; got 5 for 4", call(values_, out_)));
  EXPECT_TRUE(refused("out overlaps values", call(values_, {floats_.data() + 1, 4})));
  EXPECT_TRUE(refused("values is null", call({nullptr, 4}, out)));
  EXPECT_TRUE(refused("out has -4 entries", call(values_, {out_.data(), -4})));
  EXPECT_TRUE(refused("threads", call(values_, out, too_many_threads)));
  EXPECT_TRUE(refused("values is on cuda:0, expected cpu", call(vector_on_cuda<const float>(), out)));
  const std::vector<std::int64_t> beyond = {0, 9};
  const auto segmented = [&](In<std::int64_t> offsets) {
    return [=, this] { segmented_scan_with(offsets, values_, out, plus, 0.0f); };
  };
  EXPECT_NO_THROW(segmented(offsets_)());
  EXPECT_TRUE(refused("one entry more than there are segments; got 0", segmented({})));
  EXPECT_TRUE(refused("offset 1 is 9, expected 0 <= offset <= 4", segmented(beyond)));
}

TEST_F(ArraysContract, NamesOfOperators) {
  for (const ReduceOpChoice& row : reduce_ops()) {
    EXPECT_EQ(name(row.value), row.name);
    EXPECT_EQ(parse_reduce_op(row.name), row.value);
  }
  EXPECT_EQ(name(no_enumerator<ReduceOp>()), "unknown");
  EXPECT_TRUE(refused("unknown operator \"mean\", expected one of sum, minimum", [] { parse_reduce_op("mean"); }));
}

}  // namespace
}  // namespace papilio
