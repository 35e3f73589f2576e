// What the order of a race rests on: the exponential number of 64 bits, and keys in the order of arrival times.

#include "sampling/without_replacement/race_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "sampling/without_replacement/race_oracle.h"
#include "warp/scalar_warp.h"

namespace papilio {
namespace {

using OneLane = warp::ScalarWarp<1>;

double exponential(std::uint64_t bits) {
  return sampling_kernel::exponential_of<OneLane>({{static_cast<std::uint32_t>(bits >> 32)}},
                                                  {{static_cast<std::uint32_t>(bits)}})
      .at[0];
}
std::uint64_t key(double e, double weight) { return sampling_kernel::key_of_weight<OneLane>({{e}}, {{weight}}).at[0]; }

std::vector<std::uint64_t> bits_of_all_sizes() {
  std::vector<std::uint64_t> all = {0, 1, 2, ~std::uint64_t{0}, ~std::uint64_t{1}};
  for (int b = 0; b < 64; ++b) {
    const std::uint64_t power = std::uint64_t{1} << b;
    for (const std::uint64_t near : {power - 1, power, power + 1}) all.insert(all.end(), {near, ~near});
  }
  std::mt19937_64 generator(1);
  for (int i = 0; i < 100'000; ++i) all.push_back(generator() >> generator() % 64);
  for (int i = 0; i < 100'000; ++i) all.push_back(~(generator() >> generator() % 64));
  return all;
}

TEST(RaceKeys, TheExponentialNumberIsWithinFourUnitsInTheLastPlace) {
  for (const std::uint64_t bits : bits_of_all_sizes()) {
    const long double exact = testing::exponential_of_bits(bits);
    ASSERT_LT(std::abs(static_cast<long double>(exponential(bits)) - exact), 4 * 0x1p-52L * exact) << bits;
  }
  EXPECT_EQ(exponential(0), 0x1p-65);
  EXPECT_NEAR(exponential(~std::uint64_t{0}), 65 * std::log(2.0), 1e-13);
}

// The multiplier of the threshold: V <= E, so that no category is passed over that is in time.
TEST(RaceKeys, TheExponentialNumberIsNotBelowItsLeadingBits) {
  for (const std::uint64_t bits : bits_of_all_sizes())
    ASSERT_GE(exponential(bits), static_cast<double>(bits >> 40) * 0x1p-24) << bits;
}

TEST(RaceKeys, AreInTheOrderOfArrivals) {
  std::mt19937_64 generator(2);
  std::vector<double> weights = {std::numeric_limits<double>::denorm_min(), 0x1p-1022, 0x1.fp-1023, 1e-300, 1, 1e300,
                                 std::numeric_limits<double>::max()};
  for (int i = 0; i < 1000; ++i) {
    const double w =
        std::ldexp(1 + static_cast<double>(generator() >> 11) * 0x1p-53, static_cast<int>(generator() % 2098) - 1074);
    if (w > 0 && std::isfinite(w)) weights.push_back(w);
  }
  struct Arrival {
    long double time;
    std::uint64_t key;
  };
  std::vector<Arrival> arrivals;
  for (const double w : weights) {
    for (const std::uint64_t bits : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{generator()}}) {
      const double e = exponential(bits);
      arrivals.push_back({static_cast<long double>(e) / static_cast<long double>(w), key(e, w)});
      ASSERT_TRUE(62 <= arrivals.back().key >> 52 && arrivals.back().key >> 52 <= 2231);
    }
  }
  std::sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) { return a.time < b.time; });
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    ASSERT_LE(arrivals[i - 1].key, arrivals[i].key);
    if (arrivals[i].time > arrivals[i - 1].time * (1 + 0x1p-51L)) {
      ASSERT_LT(arrivals[i - 1].key, arrivals[i].key);
    }
  }
}

TEST(RaceKeys, OfLogitsAreInTheOrderOfDoubles) {
  std::vector<double> y = {-std::numeric_limits<double>::infinity(), -1e308, -3, -0x1p-40, 0, 0x1p-40, 2, 40, 1e308,
                           std::numeric_limits<double>::infinity()};
  std::uint64_t before = papilio::sampling::no_key;
  for (const double logit : y) {
    const std::uint64_t now = sampling_kernel::key_of_logit<OneLane>({{0.75}}, {{logit}}).at[0];
    EXPECT_LT(now, before) << logit;
    if (std::abs(logit) < 100) {
      EXPECT_NEAR(sampling_kernel::logit_of_key(now), std::log(0.75) - logit, 1e-14);
    }
    before = now;
  }
  EXPECT_TRUE(std::isnan(sampling_kernel::logit_of_key(papilio::sampling::no_key)));
}

}  // namespace
}  // namespace papilio
