// Scans and reductions of warps and blocks (collective/scan.h), by operators that show a wrong order.

#include "collective/scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "collective/operators.h"
#include "collective/scan_cases.h"

namespace papilio::testing {
namespace {

using collective::Add;
using collective::AffineMap;
using collective::Compose;
using collective::Matrix2;
using collective::MultiplyLeft;

template <int W>
using Scalar = warp::ScalarWarp<W>;

void expect_places(const Places& found, std::int32_t first, std::int32_t last) {
  ASSERT_EQ(found.first, first);
  ASSERT_EQ(found.last, last);
}

template <int W>
void check_warp() {
  const auto x = elements<Places>(W, JoinPlaces{}, 0);
  const auto lanes = Scalar<W>::load(x.data());
  const auto scanned = collective::inclusive_scan<Scalar<W>, Places>(lanes, JoinPlaces{});
  const auto shifted = collective::shift_up<Scalar<W>, Places>(scanned, {7, 8});
  const auto reduced = collective::reduce<Scalar<W>, Places>(lanes, JoinPlaces{});
  for (std::int32_t l = 0; l < W; ++l) {
    ASSERT_NO_FATAL_FAILURE(expect_places(scanned.at[l], 0, l)) << W << " lanes, lane " << l;
    ASSERT_NO_FATAL_FAILURE(expect_places(reduced.at[l], 0, W - 1)) << W << " lanes, lane " << l;
    ASSERT_NO_FATAL_FAILURE(l == 0 ? expect_places(shifted.at[l], 7, 8) : expect_places(shifted.at[l], 0, l - 1));
  }
  for (int count = 1; count <= W; ++count) {
    const auto part = collective::inclusive_scan<Scalar<W>, Places>(lanes, JoinPlaces{}, count);
    for (std::int32_t l = 0; l < W; ++l)
      ASSERT_NO_FATAL_FAILURE(expect_places(part.at[l], l < count ? 0 : l, l)) << count << " of " << W;
  }
}

TEST(WarpScan, CombinesNeighboursInOrder) {
  check_warp<1>();
  check_warp<2>();
  check_warp<4>();
  check_warp<8>();
  check_warp<32>();
  check_warp<64>();
}

TEST(WarpScan, EveryPatternOfHeads) {
  constexpr int W = 8;
  const auto x = elements<Places>(W, JoinPlaces{}, 0);
  for (unsigned heads = 0; heads < 1u << W; ++heads) {
    Scalar<W>::Mask mask;
    for (int l = 0; l < W; ++l) mask.at[l] = (heads >> l & 1) != 0;
    const auto scanned = collective::segmented_scan<Scalar<W>, Places>(Scalar<W>::load(x.data()), mask, JoinPlaces{});
    std::int32_t begin = 0;
    for (std::int32_t l = 0; l < W; ++l) {
      if (mask.at[l]) begin = l;
      ASSERT_NO_FATAL_FAILURE(expect_places(scanned.at[l], begin, l)) << "heads " << heads << ", lane " << l;
    }
  }
}

TEST(WarpScan, LastHeads) {
  for (int lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(collective::LastHead{0}(lane), -1);
    for (int head = 0; head < 64; ++head)
      EXPECT_EQ((collective::LastHead{std::uint64_t{1} << head | 1}(lane)), head <= lane ? head : 0) << head;
    EXPECT_EQ(collective::LastHead{~std::uint64_t{0}}(lane), lane);
  }
}

template <int W, int warps>
void check_block() {
  constexpr std::int32_t threads = W * warps;
  const auto x = elements<Places>(threads, JoinPlaces{}, 0);
  const auto scanned = scan_on_host<W, warps>(x, JoinPlaces{});
  const auto reduced = reduce_on_host<W, warps>(x, JoinPlaces{});
  for (std::int32_t t = 0; t < threads; ++t) {
    const auto i = static_cast<std::size_t>(t);
    ASSERT_NO_FATAL_FAILURE(expect_places(scanned.value[i], 0, t)) << warps << " x " << W << ", thread " << t;
    ASSERT_NO_FATAL_FAILURE(expect_places(scanned.total[i], 0, threads - 1));
    ASSERT_NO_FATAL_FAILURE(expect_places(reduced[i], 0, threads - 1));
  }
}

TEST(BlockScan, CombinesNeighboursInOrder) {
  check_block<4, 1>();
  check_block<4, 2>();
  check_block<4, 3>();
  check_block<4, 4>();
  check_block<32, 1>();
  check_block<32, 5>();
  check_block<32, 32>();
}

// Every pattern of heads of three warps of four lanes.
TEST(BlockScan, EveryPatternOfHeads) {
  constexpr int W = 4, warps = 3, threads = W * warps;
  const auto x = elements<Places>(threads, JoinPlaces{}, 0);
  std::vector<std::uint8_t> heads(threads);
  for (unsigned pattern = 0; pattern < 1u << threads; ++pattern) {
    for (std::size_t t = 0; t < threads; ++t) heads[t] = pattern >> t & 1;
    const auto scanned = segmented_scan_on_host<W, warps>(x, heads, JoinPlaces{});
    std::int32_t begin = 0;
    for (std::int32_t t = 0; t < threads; ++t) {
      const auto i = static_cast<std::size_t>(t);
      if (heads[i] != 0) begin = t;
      const bool begun = (pattern & ((2u << t) - 1)) != 0;
      ASSERT_NO_FATAL_FAILURE(expect_places(scanned.value[i].value, begin, t)) << "heads " << pattern << ", " << t;
      ASSERT_EQ(scanned.value[i].begins != 0, begun) << "heads " << pattern << ", thread " << t;
    }
    for (const auto& total : scanned.total) {
      ASSERT_NO_FATAL_FAILURE(expect_places(total.value, begin, threads - 1)) << "heads " << pattern;
      ASSERT_EQ(total.begins != 0, pattern != 0);
    }
  }
}

// Whole numbers up to 2^31 - 1: no sum of lanes that do not belong together is formed, so none overflows.
TEST(BlockScan, FormsNoOtherSums) {
  std::vector<std::int32_t> x(32, 0);
  x[0] = x[8] = 0x7fff'fffe;
  x[31] = 1;
  std::vector<std::uint8_t> heads(32);
  heads[8] = 1;
  const auto scanned = segmented_scan_on_host<8, 4>(x, heads, Add{});
  EXPECT_EQ(scanned.value[7].value, 0x7fff'fffe);
  EXPECT_EQ(scanned.value[30].value, 0x7fff'fffe);
  EXPECT_EQ(scanned.value[31].value, 0x7fff'ffff);
  x[8] = 0;
  EXPECT_EQ((scan_on_host<8, 4>(x, Add{}).value[31]), 0x7fff'ffff);
}

// x_i = shift_i + factor_i x_{i-1} with whole numbers, by the scan of its maps.
TEST(BlockScan, AffineMapsSolveARecurrence) {
  std::vector<AffineMap<double>> maps(64);
  for (std::size_t i = 0; i < maps.size(); ++i) maps[i] = {static_cast<double>(i % 5) - 2, i % 3 == 0 ? -1.0 : 1.0};
  const auto scanned = scan_on_host<8, 8>(maps, Compose{});
  double x = 3;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    x = maps[i](x);
    ASSERT_EQ(scanned.value[i](3), x) << i;
  }
}

TEST(BlockScan, ProductsOfMatricesAreInOrder) {
  const auto x = elements<Matrix2<std::uint32_t>>(128, MultiplyLeft{}, 1);
  const auto scanned = scan_on_host<32, 4>(x, MultiplyLeft{});
  Matrix2<std::uint32_t> product = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) {
    product = MultiplyLeft{}(product, x[i]);
    ASSERT_EQ(std::memcmp(&scanned.value[i], &product, sizeof product), 0) << i;
  }
  // The Fibonacci numbers, modulo 2^32.
  const std::vector<Matrix2<std::uint32_t>> steps(64, {{{1, 1}, {1, 0}}});
  const auto powers = scan_on_host<32, 2>(steps, MultiplyLeft{});
  EXPECT_EQ(powers.value[9].at[0][1], 55u);
  EXPECT_EQ(powers.value[46].at[0][1], 2'971'215'073u);
}

TEST(Operators, LeastAndGreatestLeaveOutNaN) {
  const float nan = std::nanf("");
  EXPECT_EQ(collective::Least{}(1.0f, 2.0f), 1);
  EXPECT_EQ(collective::Least{}(2.0f, 1.0f), 1);
  EXPECT_EQ(collective::Greatest{}(1.0f, 2.0f), 2);
  EXPECT_EQ(collective::Greatest{}(2.0f, 1.0f), 2);
  EXPECT_EQ(collective::Least{}(nan, 1.0f), 1);
  EXPECT_EQ(collective::Least{}(1.0f, nan), 1);
  EXPECT_EQ(collective::Greatest{}(nan, 1.0f), 1);
  EXPECT_EQ(collective::Greatest{}(1.0f, nan), 1);
  EXPECT_TRUE(std::isnan(collective::Least{}(nan, nan)));
}

// The neutral elements that the comments name.
TEST(Operators, NeutralElements) {
  const AffineMap<float> map = {3, -2}, identity = {0, 1};
  for (const auto& joined : {Compose{}(map, identity), Compose{}(identity, map)}) {
    EXPECT_EQ(joined.shift, 3);
    EXPECT_EQ(joined.factor, -2);
  }
  const Matrix2<double> m = {{{1, 2}, {3, 4}}}, one = {{{1, 0}, {0, 1}}};
  for (const auto& product : {MultiplyLeft{}(m, one), MultiplyLeft{}(one, m)})
    EXPECT_EQ(std::memcmp(&product, &m, sizeof m), 0);
}

}  // namespace
}  // namespace papilio::testing
