// Histograms, exclusive scans and sorting by key on a device: the bytes of the CPU's.

#include "cuda/primitives.h"

namespace papilio::testing {
namespace {

class CudaCounting : public CudaTest {};

template <class T>
VectorView<T> there(VectorView<T> view) {
  if (view.size == 0) view.device = Device::cuda();  // an array without entries has no device of its own
  return view;
}

std::vector<std::int32_t> keys_below(Numbers& numbers, std::int64_t count, std::int64_t bound, int skew) {
  std::vector<std::int32_t> keys(static_cast<std::size_t>(count));
  for (std::int32_t& key : keys) key = static_cast<std::int32_t>(numbers.in(0, bound - 1) >> numbers.in(0, skew));
  return keys;
}

template <class Count>
void expect_same_histogram(const std::vector<std::int32_t>& keys, const std::vector<Count>& counts) {
  std::vector<Count> expected = counts;
  std::int64_t expected_word = 0;
  histogram(VectorView<const std::int32_t>(keys), VectorView<Count>(expected), {.status = {&expected_word, 1}});
  DeviceCopy<std::int32_t> key(keys, 1);
  DeviceCopy<Count> out(counts, 1, Count{5});
  CallOnCuda<PassOptions> call({});
  const VectorView<const std::int32_t> given = key.view();
  histogram(there(given), out.view(), call.options);
  call.stream.wait();
  expect_same(call.status.word(), out.host(), expected_word, expected);
  EXPECT_TRUE(out.gaps_intact()) << "written beside the results";
}

TEST_F(CudaCounting, Histograms) {
  Numbers numbers(1);
  for (const std::int64_t count : {0, 1, 50'000}) {
    for (const std::int64_t bins : {1, 1000, 200'000}) {
      const auto keys = keys_below(numbers, count, bins, 5);
      expect_same_histogram(keys, numbers.values<std::int32_t>(bins, Law::small));
      expect_same_histogram(keys, numbers.values<std::int64_t>(bins, Law::small));
    }
  }
  expect_same_histogram<std::int32_t>({3, 1, 4, -1, 5}, std::vector<std::int32_t>(5));
  expect_same_histogram<std::int64_t>({3, 1, 1}, {0, std::numeric_limits<std::int64_t>::max() - 1, 0, 0});
}

// Without options: on the default stream, and what is wrong goes unnoticed.
TEST_F(CudaCounting, HistogramsWithoutOptions) {
  DeviceCopy<std::int32_t> keys(std::vector<std::int32_t>{2, 0, 2});
  DeviceCopy<std::int64_t> counts(std::vector<std::int64_t>(3));
  const VectorView<const std::int32_t> given = keys.view();
  histogram(given, counts.view());
  execution::check(cudaDeviceSynchronize(), "a test");
  EXPECT_EQ(counts.host(), (std::vector<std::int64_t>{1, 0, 2}));
}

template <class Value>
void expect_same_offsets(const std::vector<Value>& values, bool with_total, bool in_place = false) {
  const std::size_t size = values.size() + (with_total ? 1 : 0);
  std::vector<std::int64_t> expected(size, 7);
  std::int64_t expected_word = 0;
  const std::int64_t total = exclusive_scan(VectorView<const Value>(values), expected, {.status = {&expected_word, 1}});
  DeviceCopy<Value> given(values, 1);
  std::vector<std::int64_t> before(size, 7);
  if (in_place) std::copy(values.begin(), values.end(), before.begin());
  DeviceCopy<std::int64_t> out(before, 1, 5);
  CallOnCuda<PassOptions> call({});
  VectorView<const Value> from = given.view();
  if constexpr (sizeof(Value) == sizeof(std::int64_t)) {
    if (in_place) from = {out.view().data, from.size, Device::cuda()};
  }
  call.give_workspace(exclusive_scan_workspace_bytes(there(from), there(out.view())));
  EXPECT_EQ(exclusive_scan(there(from), there(out.view()), call.options), -1);
  call.stream.wait();
  expect_same(call.status.word(), out.host(), expected_word, expected);
  EXPECT_TRUE(out.gaps_intact()) << "written beside the results";
  if (with_total && expected_word == primitives::no_error) {
    EXPECT_EQ(out.host().back(), total);
  }
}

TEST_F(CudaCounting, ExclusiveScans) {
  Numbers numbers(2);
  for (const std::int64_t count : {0, 1, 4096, 100'003}) {
    for (const bool with_total : {false, true}) {
      expect_same_offsets(numbers.values<std::int32_t>(count, Law::small), with_total);
      expect_same_offsets(numbers.values<std::int64_t>(count, Law::random), with_total);
      expect_same_offsets(numbers.values<std::int64_t>(count, Law::small), with_total, true);
    }
  }
  std::vector<std::int64_t> large(5000, std::numeric_limits<std::int64_t>::max() / 4000);
  expect_same_offsets(large, true);
}

void expect_same_order(const std::vector<std::int32_t>& keys, std::int64_t key_count) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(key_count) + 1), order(keys.size());
  std::int64_t expected_word = 0;
  sort_by_key(keys, offsets, order, {.status = {&expected_word, 1}});
  DeviceCopy<std::int32_t> key(keys, 1);
  DeviceCopy<std::int64_t> starts(std::vector<std::int64_t>(offsets.size(), 7), 1, 5),
      items(std::vector<std::int64_t>(keys.size(), 7), 1, 5);
  CallOnCuda<PassOptions> call({});
  const VectorView<const std::int32_t> given = key.view();
  call.give_workspace(sort_by_key_workspace_bytes(there(given), starts.view(), there(items.view())));
  sort_by_key(there(given), starts.view(), there(items.view()), call.options);
  call.stream.wait();
  expect_same(call.status.word(), starts.host(), expected_word, offsets);
  if (expected_word == primitives::no_error) {
    EXPECT_TRUE(same_results(items.host(), order));
  }
  EXPECT_TRUE(starts.gaps_intact() && items.gaps_intact()) << "written beside the results";
}

TEST_F(CudaCounting, SmokeOfSorting) {
  Numbers numbers(3);
  expect_same_order(keys_below(numbers, 5000, 300, 0), 300);
}

TEST_F(CudaCounting, SortingKeepsTheOrderOfEqualKeys) {
  Numbers numbers(4);
  for (const std::int64_t count : {0, 1, 2, 4097, 300'000})
    for (const std::int64_t bound : {1, 2, 255, 256, 257, 70'000, 20'000'000})
      if (bound < 1000 || count > 1000) expect_same_order(keys_below(numbers, count, bound, 3), bound);
}

TEST_F(CudaCounting, SortingNamesKeysOutOfRange) {
  expect_same_order({3, 1, 4, 1, 5}, 5);
  expect_same_order({3, 1, -4, 1, 5}, 6);
  expect_same_order({0}, 0);
}

TEST_F(CudaCounting, AskForTheirWorkspace) {
  DeviceCopy<std::int32_t> keys(std::vector<std::int32_t>{1, 0});
  DeviceCopy<std::int64_t> offsets(std::vector<std::int64_t>(3)), order(std::vector<std::int64_t>(2));
  const VectorView<const std::int32_t> given = keys.view();
  EXPECT_THROW(sort_by_key(given, offsets.view(), order.view()), InvalidArgument);
  EXPECT_GT(sort_by_key_workspace_bytes(given, offsets.view(), order.view()), 0);
}

}  // namespace
}  // namespace papilio::testing
