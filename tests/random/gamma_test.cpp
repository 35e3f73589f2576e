#include "random/gamma.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "sampling/gamma/gamma_rows_kernel.h"
#include "warp/native_warp.h"
#include "warp/scalar_warp.h"

// Elementary functions of float lanes against double, and rows of gamma draws: the same bits for every warp.

namespace papilio::random {
namespace {

using Reference = warp::ScalarWarp<4>;
using Floats = warp::Lanes<Reference, float>;
using Words = warp::Lanes<Reference, std::uint32_t>;

float lane(Floats x) { return x.at[0]; }
Floats lanes(float x) { return Reference::splat<float>(x); }
Words words(std::uint32_t x) { return Reference::splat<std::uint32_t>(x); }
double relative_error(double found, double exact) { return std::abs(found / exact - 1); }

TEST(ElementaryLanes, Log2) {
  double worst = 0, worst_near_one = 0;
  for (std::uint32_t bits = 0x0080'0000; bits < 0x7F80'0000; bits += 4001) {
    const auto x = std::bit_cast<float>(bits);
    const double error = std::abs(lane(log2<Reference>(lanes(x))) - std::log2(static_cast<double>(x)));
    if (x >= 1 && x < 2)
      worst_near_one = std::max(worst_near_one, error);
    else
      worst = std::max(worst, error / std::abs(std::log2(static_cast<double>(x))));
  }
  EXPECT_LT(worst, 0x1p-22);
  EXPECT_LT(worst_near_one, 0x1.8p-23);
  EXPECT_EQ(lane(log2<Reference>(lanes(8))), 3.0f);
}

// U = 1 - (r + 1/2) 2^-32 for words r below 2^31, (r + 1/2) 2^-32 for words 2^31 + r.
TEST(ElementaryLanes, MinusLog2OfWord) {
  double worst = 0;
  const auto check = [&](std::uint32_t word) {
    const double rest = ((word & 0x7FFF'FFFFu) + 0.5) * 0x1p-32;
    const double exact = word >> 31 != 0 ? -std::log2(rest) : -std::log1p(-rest) / std::log(2.0);
    worst = std::max(worst, relative_error(lane(minus_log2_of_word<Reference>(words(word))), exact));
  };
  for (std::uint64_t word = 0; word < 0x1'0000'0000; word += 7919) check(static_cast<std::uint32_t>(word));
  for (const std::uint32_t base : {0u, 0x7FFF'FF00u, 0x8000'0000u, 0xFFFF'FF00u})
    for (std::uint32_t i = 0; i < 256; ++i) check(base + i);
  EXPECT_LT(worst, 0x1p-22);
  EXPECT_EQ(lane(minus_log2_of_word<Reference>(words(0x8000'0000u))), 33.0f);
}

TEST(ElementaryLanes, Exp2) {
  double worst = 0;
  for (float x = 0; x >= -125; x -= 0x1.3p-14f)
    worst = std::max(worst, relative_error(lane(exp2_or_zero<Reference>(lanes(x))), std::exp2(static_cast<double>(x))));
  EXPECT_LT(worst, 0x1p-22);
  EXPECT_EQ(lane(exp2_or_zero<Reference>(lanes(0))), 1.0f);
  EXPECT_EQ(lane(exp2_or_zero<Reference>(lanes(-125))), 0x1p-125f);
  for (const float x : {-125.00001f, -126.0f, -1e4f, -3e7f, -1e38f, -INFINITY})
    EXPECT_EQ(lane(exp2_or_zero<Reference>(lanes(x))), 0.0f) << x;
}

TEST(ElementaryLanes, ReciprocalSqrt) {
  double worst = 0;
  for (std::uint32_t bits = 0x0080'0000; bits < 0x7F80'0000; bits += 4001) {
    const auto x = std::bit_cast<float>(bits);
    worst = std::max(worst,
                     relative_error(lane(reciprocal_sqrt<Reference>(lanes(x))), 1 / std::sqrt(static_cast<double>(x))));
  }
  EXPECT_LT(worst, 0x1p-22);
}

TEST(ElementaryLanes, OpenUniform) {
  EXPECT_EQ(lane(open_uniform<Reference>(words(0))), 0x1p-24f);
  EXPECT_EQ(lane(open_uniform<Reference>(words(0x1FF))), 0x1p-24f);
  EXPECT_EQ(lane(open_uniform<Reference>(words(0x200))), 0x1.8p-23f);
  EXPECT_EQ(lane(open_uniform<Reference>(words(0xFFFF'FFFFu))), 1 - 0x1p-24f);
}

TEST(Normal, IsAPointOfThePlane) {
  std::mt19937_64 bits(1);
  constexpr double quarter_turn = 1.57079632679489661923;
  double worst = 0;
  for (int i = 0; i < 200'000; ++i) {
    const auto radius_word = static_cast<std::uint32_t>(bits()), angle_word = static_cast<std::uint32_t>(bits());
    const auto pair = normal_pair<Reference>(words(radius_word), words(angle_word));
    const double rest = ((radius_word & 0x7FFF'FFFFu) + 0.5) * 0x1p-32;
    const double radius = std::sqrt(-2 * (radius_word >> 31 != 0 ? std::log(rest) : std::log1p(-rest)));
    const double angle = static_cast<std::int32_t>(angle_word << 2) * 0x1p-32 * quarter_turn;
    const double along = std::cos(angle) * ((angle_word >> 30 & 1) != 0 ? -1 : 1), across = std::sin(angle);
    const bool swapped = angle_word >> 31 != 0;
    worst = std::max(worst, std::abs(lane(pair.first) - radius * (swapped ? across : along)) / radius);
    worst = std::max(worst, std::abs(lane(pair.second) - radius * (swapped ? along : across)) / radius);
  }
  EXPECT_LT(worst, 0x1p-21);
  EXPECT_NEAR(lane(normal_pair<Reference>(words(0x8000'0000u), words(0)).first), 6.7638, 1e-4);  // the furthest
}

// The squeeze accepts nothing that the exact test refuses, and little less.
TEST(Gamma, SqueezeIsBelowTheExactTest) {
  std::mt19937_64 bits(2);
  std::int64_t wrong = 0, squeezed = 0, exact = 0;
  for (int i = 0; i < 300'000; ++i) {
    const float shape = i % 3 == 0 ? 1.0f : std::exp2(static_cast<float>(bits() % 4096) / 256);
    const auto normal =
        normal_pair<Reference>(words(static_cast<std::uint32_t>(bits())), words(static_cast<std::uint32_t>(bits())));
    auto candidate = gamma_candidate<Reference>(gamma_d<Reference>(lanes(shape)), normal.first,
                                                words(static_cast<std::uint32_t>(bits())));
    const bool by_squeeze = accepted_by_squeeze<Reference>(candidate).at[0];
    const bool exactly = accepted_exactly<Reference>(candidate).at[0];
    wrong += by_squeeze && !exactly;
    squeezed += by_squeeze;
    exact += exactly;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(static_cast<double>(squeezed), 0.985 * static_cast<double>(exact));
}

// h against the textbook's form in double, in units of the acceptance probability.
TEST(Gamma, ExactTestIsTheTextbooks) {
  std::mt19937_64 bits(3);
  std::int64_t differ = 0, tests = 0;
  for (int i = 0; i < 200'000; ++i) {
    const float shape = 1 + std::exp2(static_cast<float>(bits() % 4096) / 200 - 10);
    const float x = static_cast<float>(bits() % 100'000) * 1e-4f - 5;
    const auto d = gamma_d<Reference>(lanes(shape));
    const auto candidate = gamma_candidate<Reference>(d, lanes(x), words(static_cast<std::uint32_t>(bits())));
    const double exact_d = static_cast<double>(shape) - 1.0 / 3, c = 1 / std::sqrt(9 * exact_d);
    const double v = std::pow(1 + c * x, 3), log_u = std::log(static_cast<double>(lane(candidate.u)));
    const double h = v > 0 ? 0.5 * x * x + exact_d - exact_d * v + exact_d * std::log(v) : -INFINITY;
    if (std::abs(std::exp(log_u) - std::exp(h)) < 1e-5) continue;
    ++tests;
    differ += (log_u < h) != accepted_exactly<Reference>(candidate).at[0];
  }
  EXPECT_EQ(differ, 0);
  EXPECT_GT(tests, 190'000);
}

struct Row {
  std::vector<std::int32_t> counts;
  std::vector<float> shape, inverse;
};

Row row_of(std::int64_t columns, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  Row row;
  for (std::int64_t k = 0; k < columns; ++k) {
    row.counts.push_back(bits() % 4 == 0 ? static_cast<std::int32_t>(bits() % 300) : 0);
    row.shape.push_back(std::exp2(static_cast<float>(bits() % 2400) / 100 - 20));  // 1e-6 ... 16
    row.inverse.push_back(gamma_inverse<Reference>(lanes(row.shape.back())).at[0]);
  }
  row.counts[0] = 1'000'000'000;
  return row;
}

template <class W>
std::vector<float> draw(const Row& row, std::uint64_t number, std::int64_t columns) {
  std::vector<float> drawn(row.shape.size() + 3, -7.0f);
  sampling_kernel::draw_gamma_columns<W>({.counts = row.counts.data(),
                                          .shape = row.shape.data(),
                                          .inverse = row.inverse.data(),
                                          .count = columns,
                                          .seed = 0x1234'5678'9ABC'DEF0,
                                          .stream = 6ull << 32 | 5,
                                          .row = number,
                                          .drawn = drawn.data()});
  return drawn;
}

template <class W>
class GammaRows : public ::testing::Test {};
#if defined(PAPILIO_TEST_FEW)
using Warps = ::testing::Types<warp::NativeWarp<float>>;
#else
using Warps = ::testing::Types<warp::SimdWarp<16, warp::register_bytes>, warp::NativeWarp<float>>;
#endif
TYPED_TEST_SUITE(GammaRows, Warps);

TYPED_TEST(GammaRows, AreTheSameBitsForEveryWarp) {
  const Row row = row_of(700, 4);
  for (const std::int64_t columns : {1, 2, 31, 32, 33, 127, 128, 129, 384, 700}) {
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xFFFF'FFFF'FFFF'FFFF}})
      ASSERT_EQ(draw<TypeParam>(row, number, columns), draw<Reference>(row, number, columns)) << columns;
  }
}

// An entry does not depend on how many columns there are, and nothing after them is written.
TYPED_TEST(GammaRows, EntriesStandForThemselves) {
  const Row row = row_of(700, 5);
  const auto whole = draw<TypeParam>(row, 9, 700);
  for (const std::int64_t columns : {1, 5, 64, 100, 130, 257}) {
    const auto part = draw<TypeParam>(row, 9, columns);
    for (std::size_t k = 0; k < part.size(); ++k)
      ASSERT_EQ(part[k], k < static_cast<std::size_t>(columns) ? whole[k] : -7.0f) << columns << ' ' << k;
  }
}

}  // namespace
}  // namespace papilio::random
