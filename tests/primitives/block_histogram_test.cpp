// The lecture notes' histogram for GPUs, put together from the primitives: each block of 128 threads has 2,048 numbers
// of shared memory, in which so many threads share one table as its bins need; then the block's tables become one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "papilio/primitives.h"

namespace papilio {
namespace {

constexpr int block_threads = 128;
constexpr int numbers_per_thread = 16;
constexpr int rounds = 8;  // items per thread
constexpr int block_items = block_threads * rounds;

// How many threads share a table, or 0 where one does not fit a block's shared memory.
int threads_per_table(int bins) {
  for (int threads = 1; threads <= block_threads; threads *= 2) {
    if (bins <= threads * numbers_per_thread) return threads;
  }
  return 0;
}

TEST(BlockHistogram, AsManyThreadsShareATableAsItsBinsNeed) {
  for (int bins = 1; bins <= 16; ++bins) EXPECT_EQ(threads_per_table(bins), 1);
  EXPECT_EQ(threads_per_table(17), 2);
  EXPECT_EQ(threads_per_table(32), 2);
  EXPECT_EQ(threads_per_table(64), 4);
  EXPECT_EQ(threads_per_table(512), 32);    // a warp
  EXPECT_EQ(threads_per_table(2048), 128);  // the block
  EXPECT_EQ(threads_per_table(2049), 0);
  EXPECT_EQ(threads_per_table(4096), 0);
}

template <class T>
struct Items {
  std::vector<std::int32_t> bins;
  std::vector<T> values;
};

// Values of few bits, so that floats are exact in any order.
template <class T>
Items<T> random_items(int bins, int count, bool one_hot, std::mt19937& generator) {
  Items<T> items{std::vector<std::int32_t>(count), std::vector<T>(count)};
  for (std::int32_t& bin : items.bins) bin = one_hot ? bins / 2 : static_cast<std::int32_t>(generator() % bins);
  for (T& value : items.values) value = static_cast<T>(generator() % 64) / static_cast<T>(8);
  return items;
}

// Where thread `tid` adds to `bin`: tables one after another, or transposed, a bin's numbers side by side.
enum class Layout { tables, transposed };

std::int32_t place(Layout layout, int bin, int tid, int bins, int sharing) {
  return layout == Layout::tables ? bins * (tid / sharing) + bin : bin * (block_threads / sharing) + tid / sharing;
}

// One block's histogram.
template <class T>
std::vector<T> of_block(Layout layout, std::span<const std::int32_t> indices, std::span<const T> values, int bins) {
  const int sharing = threads_per_table(bins), tables = block_threads / sharing;
  std::vector<T> shared(static_cast<std::size_t>(bins * tables)), histogram(static_cast<std::size_t>(bins));
  std::vector<std::int32_t> places(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    places[i] = place(layout, indices[i], static_cast<int>(i) % block_threads, bins, sharing);
  }
  reduce_by_index<std::int32_t, T>(places, {values.data(), static_cast<std::int64_t>(values.size())}, shared);
  if (layout == Layout::tables) {
    for (int bin = 0; bin < bins; ++bin) {  // by threads that go on to bin + 128: there may be more bins than threads
      for (int table = 0; table < tables; ++table) histogram[bin] += shared[table * bins + bin];
    }
    return histogram;
  }
  std::vector<std::uint8_t> begins(shared.size());
  for (std::size_t i = 0; i < begins.size(); i += tables) begins[i] = 1;
  segmented_scan<T>(begins, shared, shared);
  for (int bin = 0; bin < bins; ++bin) histogram[bin] = shared[(bin + 1) * tables - 1];
  return histogram;
}

template <class T>
class BlockHistogramOf : public ::testing::Test {};
using Types = ::testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(BlockHistogramOf, Types);

TYPED_TEST(BlockHistogramOf, BothLayoutsAreAReductionByIndex) {
  using T = TypeParam;
  constexpr int blocks = 3, count = blocks * block_items - 37;  // the last block is not full
  std::mt19937 generator(24);
  for (const int bins : {1, 15, 16, 17, 32, 64, 500, 512, 2048}) {
    for (const bool one_hot : {false, true}) {
      const Items<T> items = random_items<T>(bins, count, one_hot, generator);
      std::vector<T> expected(static_cast<std::size_t>(bins));
      reduce_by_index<std::int32_t, T>(items.bins, items.values, expected);
      for (const Layout layout : {Layout::tables, Layout::transposed}) {
        std::vector<T> histogram(static_cast<std::size_t>(bins));
        for (int first = 0; first < count; first += block_items) {
          const auto items_here = static_cast<std::size_t>(std::min(block_items, count - first));
          const std::vector<T> part = of_block<T>(layout, std::span(items.bins).subspan(first, items_here),
                                                  std::span(items.values).subspan(first, items_here), bins);
          for (int bin = 0; bin < bins; ++bin) histogram[bin] += part[bin];
        }
        EXPECT_EQ(histogram, expected) << bins << " bins";
      }
    }
  }
}

// The notes' image adds a value to one bin and 1 less it to the next: the total is the number of items.
TEST(BlockHistogram, TwoPlacesPerItemAddUpToTheItems) {
  constexpr int bins = 64;
  std::mt19937 generator(25);
  Items<double> items = random_items<double>(bins - 1, block_items, false, generator);
  for (double& value : items.values) value /= 8;
  std::vector<double> histogram = of_block<double>(Layout::transposed, items.bins, items.values, bins);
  for (std::int32_t& bin : items.bins) ++bin;
  for (double& value : items.values) value = 1 - value;
  const std::vector<double> rest = of_block<double>(Layout::tables, items.bins, items.values, bins);
  double total = 0;
  for (int bin = 0; bin < bins; ++bin) total += histogram[bin] + rest[bin];
  EXPECT_EQ(total, block_items);
}

}  // namespace
}  // namespace papilio
