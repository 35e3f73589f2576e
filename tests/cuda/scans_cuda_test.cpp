// Scans and segmented reductions on a device: the bytes of the CPU's, over types, operators, segments and sizes.

#include "cuda/primitives.h"

namespace papilio::testing {
namespace {

template <class T>
class CudaScans : public CudaTest {};
using Types = ::testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(CudaScans, Types);

template <class T>
std::vector<ReduceOp> operators() {
  std::vector<ReduceOp> all;
  for (const ReduceOpChoice& row : reduce_ops())
    if (row.floats || std::is_integral_v<T>) all.push_back(row.value);
  return all;
}

// Around tiles of 2,048 and 4,096 values, threads and warps; more than the 32 tiles that a look-back takes at once.
constexpr std::int64_t sizes[] = {0, 1, 2, 15, 16, 17, 511, 513, 2047, 2048, 2049, 4095, 4096, 4097, 8192, 8193, 70'000, 300'001};

TYPED_TEST(CudaScans, SmokeOfEveryLaw) {
  using T = TypeParam;
  Numbers numbers(1);
  for (const Law law : every_law) {
    for (const bool exclusive : {false, true}) {
      SCOPED_TRACE(description(ReduceOp::sum, 9000, exclusive, law));
      const auto values = numbers.values<T>(9000, law);
      expect_same_scan<T>(values, {}, {.exclusive = exclusive});
      expect_same_scan<T>(values, {.offsets = numbers.offsets(3, 8990, 40)}, {.exclusive = exclusive}, 1);
      expect_same_reduction<T>(values, numbers.offsets(3, 8990, 40), ReduceOp::sum);
    }
  }
}

TYPED_TEST(CudaScans, ScansOfEverySize) {
  using T = TypeParam;
  Numbers numbers(2);
  for (const std::int64_t size : sizes) {
    for (const Law law : {Law::small, Law::random, Law::spread}) {
      for (const bool exclusive : {false, true}) {
        SCOPED_TRACE(description(ReduceOp::sum, size, exclusive, law));
        expect_same_scan<T>(numbers.values<T>(size, law), {}, {.exclusive = exclusive}, size % 3);
      }
    }
  }
}

TYPED_TEST(CudaScans, ScansByEveryOperator) {
  using T = TypeParam;
  Numbers numbers(3);
  for (const ReduceOp op : operators<T>()) {
    for (const Law law : every_law) {
      for (const bool exclusive : {false, true}) {
        SCOPED_TRACE(description(op, 20'000, exclusive, law));
        const auto values = numbers.values<T>(20'000, law);
        expect_same_scan<T>(values, {}, {.op = op, .exclusive = exclusive});
        expect_same_scan<T>(values, {.offsets = numbers.offsets(0, 20'000, 100)}, {.op = op, .exclusive = exclusive});
        expect_same_reduction<T>(values, numbers.offsets(0, 20'000, 100), op);
      }
    }
  }
}

TYPED_TEST(CudaScans, SegmentsOfEveryLength) {
  using T = TypeParam;
  Numbers numbers(4);
  for (const std::int64_t mean : {1, 2, 5, 16, 64, 300, 4096, 50'000, 400'000}) {
    for (const Law law : {Law::small, Law::random, Law::cancelling, Law::special}) {
      SCOPED_TRACE(description(ReduceOp::sum, 200'000, false, law) + ", mean length " + std::to_string(mean));
      const auto values = numbers.values<T>(200'000, law);
      const auto offsets = numbers.offsets(0, 200'000, mean);
      expect_same_scan<T>(values, {.offsets = offsets}, {.exclusive = mean % 2 == 0});
      expect_same_reduction<T>(values, offsets, ReduceOp::sum);
      std::vector<std::uint8_t> flags(values.size());
      for (const std::int64_t offset : offsets)
        if (offset < 200'000) flags[static_cast<std::size_t>(offset)] = static_cast<std::uint8_t>(numbers.in(1, 255));
      expect_same_scan<T>(values, {.flags = flags}, {.exclusive = mean % 2 == 1}, mean % 3);
    }
  }
}

// Values that the window of one tile holds and that of another does not; carries far above and below a tile's values.
TYPED_TEST(CudaScans, TilesOfDifferentMagnitude) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    Numbers numbers(5);
    for (int round = 0; round < 12; ++round) {
      std::vector<T> values = numbers.values<T>(100'000, Law::random);
      for (std::size_t i = 0; i < values.size(); i += 1024) {
        const int exponent = static_cast<int>(numbers.in(-100, 100)) * (round % 4);
        for (std::size_t k = i; k < std::min(values.size(), i + 1024); ++k)
          values[k] = std::ldexp(values[k], exponent / (sizeof(T) == 4 ? 3 : 1));
      }
      expect_same_scan<T>(values, {}, {.exclusive = round % 2 == 1});
      expect_same_scan<T>(values, {.offsets = numbers.offsets(0, 100'000, 30'000)}, {});
      expect_same_reduction<T>(values, numbers.offsets(0, 100'000, 30'000), ReduceOp::sum);
    }
  }
}

TYPED_TEST(CudaScans, ManyEmptySegments) {
  using T = TypeParam;
  Numbers numbers(6);
  std::vector<std::int64_t> offsets(10'000, 0);  // more than a tile has values, at its begin, inside and at its end
  for (const std::int64_t place : {1, 100, 4096, 5000, 5001, 8192}) offsets.insert(offsets.end(), 9000, place);
  const auto values = numbers.values<T>(8192, Law::small);
  for (const ReduceOp op : operators<T>()) expect_same_reduction<T>(values, offsets, op);
  expect_same_scan<T>(values, {.offsets = offsets}, {});
  expect_same_reduction<T>({}, std::vector<std::int64_t>(5000, 0), ReduceOp::minimum);
  expect_same_reduction<T>(values, {7}, ReduceOp::sum);
}

TYPED_TEST(CudaScans, InPlace) {
  using T = TypeParam;
  const auto values = Numbers(7).values<T>(100'000, Law::small);
  std::vector<T> expected(values.size());
  scan<T>(VectorView<const T>(values), expected);
  DeviceCopy<T> there(values);
  CallOnCuda<ScanOptions> call({});
  const VectorView<const T> given = there.view();
  call.give_workspace(scan_workspace_bytes<T>(given, there.view(), call.options));
  scan<T>(given, there.view(), call.options);
  call.stream.wait();
  EXPECT_TRUE(same_results(there.host(), expected));
}

TYPED_TEST(CudaScans, OverflowIsFoundWhereItIs) {
  using T = TypeParam;
  if constexpr (std::is_integral_v<T>) {
    constexpr T most = std::numeric_limits<T>::max();
    for (const std::size_t at : {0u, 1u, 4095u, 4096u, 30'000u}) {
      std::vector<T> values(40'000, T{0});
      values[at] = most;
      values[at + 5] = 1;
      values[at + 6] = -1;
      values[at + 700] = 2;
      for (const bool exclusive : {false, true}) {
        expect_same_scan<T>(values, {}, {.exclusive = exclusive});
        const auto split = static_cast<std::int64_t>(at) + 5;
        expect_same_scan<T>(values, {.offsets = {0, split, 40'000}}, {.exclusive = exclusive});
        expect_same_scan<T>(values, {.offsets = {0, split + 1, 40'000}}, {.exclusive = exclusive});
      }
      const auto end = static_cast<std::int64_t>(at) + 300;
      expect_same_reduction<T>(values, {0, end, 40'000}, ReduceOp::sum);
      expect_same_reduction<T>(values, {0, 0, static_cast<std::int64_t>(at) + 6, 40'000}, ReduceOp::sum);
    }
    std::vector<T> down_and_up(10'000, most);
    for (std::size_t i = 5000; i < 10'000; ++i) down_and_up[i] = -most;
    expect_same_reduction<T>(down_and_up, {0, 10'000}, ReduceOp::sum);  // 0: what is on the way does not count
  }
}

TYPED_TEST(CudaScans, BadOffsetsAreNamedAndHarmless) {
  using T = TypeParam;
  const auto values = Numbers(8).values<T>(20'000, Law::small);
  Numbers numbers(9);
  for (int round = 0; round < 30; ++round) {
    auto offsets = numbers.offsets(0, 20'000, 50);
    for (std::int64_t i = numbers.in(1, 4); i-- > 0;) {
      const std::int64_t bad[] = {-1, 20'001, std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max(), numbers.in(0, 20'000)};
      offsets[static_cast<std::size_t>(numbers.in(0, static_cast<std::int64_t>(offsets.size()) - 1))] = bad[numbers.in(0, 4)];
    }
    expect_same_reduction<T>(values, offsets, ReduceOp::maximum);
    expect_same_scan<T>(values, {.offsets = offsets}, {.op = ReduceOp::maximum});
  }
}

}  // namespace
}  // namespace papilio::testing
