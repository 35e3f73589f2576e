#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "papilio/device.h"
#include "papilio/error.h"
#include "papilio/sampling.h"
#include "support/oracle.h"

namespace papilio::testing {

// Runs on the target that PAPILIO_CPU_TARGET names, and makes sure that it is
// that one; skipped, with the reason, on a machine that has no such target.
class SamplingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* wanted = std::getenv("PAPILIO_CPU_TARGET");
    if (wanted == nullptr) return;
    const auto targets = cpu_targets();
    if (std::find(targets.begin(), targets.end(), wanted) == targets.end())
      GTEST_SKIP() << "this machine has no target " << wanted;
    ASSERT_EQ(cpu_target(), wanted);
  }
};

// Weights between 2^-20 and 1, many of them 0 where `zeros` is large.
template <class T>
std::vector<T> random_weights(std::int64_t count, std::uint32_t seed, double zeros = 0.2) {
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> uniform;
  std::vector<T> w(static_cast<std::size_t>(count));
  for (T& x : w) {
    const double u = uniform(bits);
    x = uniform(bits) < zeros ? T{0} : static_cast<T>(u * u * u + 0x1p-20);
  }
  return w;
}

// What the canonical order draws from a row.
template <class T>
std::int64_t expected_draw(const WeightRow<T>& row, std::uint64_t seed, std::uint64_t stream, std::uint64_t id) {
  return SlotOrder<T>(row).draw(uniform53_of(random_block(seed, stream, id))).category;
}

template <class T>
WeightRow<T> row_of(const std::vector<T>& matrix, std::int64_t columns, std::int64_t row) {
  const auto begin = matrix.begin() + row * columns;
  return {std::vector<T>(begin, begin + columns)};
}

// The message of the InvalidArgument that `f` throws, or "" where it throws none.
template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "";
}

// Sizes around everything that a kernel does in steps.
inline const std::vector<std::int64_t>& edge_sizes() {
  static const std::vector<std::int64_t> sizes = {
      1,   2,   3,   4,   5,   7,   8,    15,   16,   17,   31,   32,   33,   63,   64,   65,   71,   100, 127,
      128, 129, 255, 256, 257, 500, 1000, 1023, 1024, 1025, 1151, 1152, 2047, 2048, 2049, 4096, 4097, 5000};
  return sizes;
}

}  // namespace papilio::testing
