#include "collective/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "collective/transpose.h"
#include "warp/native_warp.h"
#include "warp/scalar_warp.h"

namespace papilio::collective {
namespace {

template <class W>
class LaneSearch : public ::testing::Test {};
using Warps = ::testing::Types<warp::ScalarWarp<4>, warp::ScalarWarp<32>, warp::SimdWarp<4, warp::register_bytes>,
                               warp::SimdWarp<8, warp::register_bytes>, warp::SimdWarp<16, warp::register_bytes>,
                               warp::SimdWarp<32, warp::register_bytes>>;
TYPED_TEST_SUITE(LaneSearch, Warps);

// Every target from below all entries to above them, in columns with runs of equal
// entries, at every count up to 40 and in tables with other rows between.
TYPED_TEST(LaneSearch, FindsTheFirstEntryAboveTheTarget) {
  constexpr int W = TypeParam::width;
  std::mt19937_64 bits(1);
  for (std::int32_t count = 1; count <= 40; ++count) {
    for (const auto& [stride, offset] : {std::pair{1, 0}, std::pair{3, 2}, std::pair{W, W - 1}}) {
      std::vector<float> table(static_cast<std::size_t>(count * stride * W), -1.0f);
      std::vector<std::vector<float>> column(W);
      for (int r = 0; r < W; ++r) {
        float entry = 0;
        for (int k = 0; k < count; ++k) {
          entry += static_cast<float>(bits() % 3);
          column[static_cast<std::size_t>(r)].push_back(entry);
          table[static_cast<std::size_t>((k * stride + offset) * W + r)] = entry;
        }
      }
      for (float target = -1; target < 2.0f * static_cast<float>(count) + 2; target += 1) {
        const Column where = {.count = count, .stride = stride, .offset = offset};
        const auto lanes = TypeParam::template splat<float>(target);
        std::int32_t linear[W], binary[W];
        TypeParam::store(linear, search_linear<TypeParam>(table.data(), where, lanes));
        TypeParam::store(binary, search_binary<TypeParam>(table.data(), where, lanes));
        for (int r = 0; r < W; ++r) {
          const auto& entries = column[static_cast<std::size_t>(r)];
          const auto first = std::upper_bound(entries.begin(), entries.end(), target) - entries.begin();
          const auto expected = std::min<std::int64_t>(first, count - 1);
          ASSERT_EQ(linear[r], expected) << "target " << target << ", count " << count << ", lane " << r;
          ASSERT_EQ(binary[r], expected) << "target " << target << ", count " << count << ", lane " << r;
        }
      }
    }
  }
}

TYPED_TEST(LaneSearch, TilesAreTransposed) {
  constexpr int W = TypeParam::width;
  const auto check = [&]<class T>() {
    Tile<TypeParam, T> in_registers, through_scratch;
    std::vector<T> values(W * W), scratch(W * W);
    for (int i = 0; i < W * W; ++i) values[static_cast<std::size_t>(i)] = static_cast<T>(i);
    for (int i = 0; i < W; ++i)
      in_registers.row[i] = through_scratch.row[i] = TypeParam::load(&values[static_cast<std::size_t>(i * W)]);
    transpose_in_registers(in_registers);
    transpose_through_scratch(through_scratch, scratch.data());
    for (int i = 0; i < W; ++i) {
      T a[W], b[W];
      TypeParam::store(a, in_registers.row[i]);
      TypeParam::store(b, through_scratch.row[i]);
      for (int r = 0; r < W; ++r) {
        ASSERT_EQ(a[r], static_cast<T>(r * W + i)) << i << ' ' << r;
        ASSERT_EQ(b[r], static_cast<T>(r * W + i)) << i << ' ' << r;
      }
    }
  };
  check.template operator()<float>();
  check.template operator()<double>();
}

}  // namespace
}  // namespace papilio::collective
