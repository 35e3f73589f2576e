// Arrays in the memory of a device are refused by name, before an element is read: by the calls that work on the CPU
// only, and where not all arrays of a call are on one device.

#include "support/devices.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "papilio/error.h"
#include "papilio/primitives.h"

namespace papilio {
namespace {

using testing::matrix_on_cuda;
using testing::vector_on_cuda;

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing thrown";
}

std::string refused(const std::string& function, const std::string& what) {
  return "papilio::" + function + ": " + what + " is on cuda:0, expected cpu; copy it to the CPU first";
}

// Of arrays on both.
std::string apart(const std::string& function, const std::string& what, bool output_on_cpu) {
  return "papilio::" + function + ": " + what +
         (output_on_cpu ? " is on cuda:0, the output on cpu" : " is on cpu, the output on cuda:0");
}

class Devices : public ::testing::Test {
 protected:
  std::vector<std::int32_t> int32_ = {0, 1, 1, 0};
  std::vector<std::int64_t> int64_ = {0, 2, 4, 4};
  std::vector<std::int64_t> out_ = {0, 0, 0, 0};
  std::vector<std::int32_t> kept_ = {0, 0, 0, 0};
  std::vector<std::uint8_t> flags_ = {1, 0, 1, 0};
  MatrixView<std::int32_t> counts_ = {kept_.data(), 2, 2};
};

TEST_F(Devices, Histogram) {
  EXPECT_EQ(error_of([&] { histogram(vector_on_cuda<const std::int32_t>(), out_); }), apart("histogram", "keys", true));
  EXPECT_EQ(error_of([&] { histogram(int32_, vector_on_cuda<std::int64_t>()); }), apart("histogram", "keys", false));
  EXPECT_EQ(error_of([&] { histogram(int32_, vector_on_cuda<std::int32_t>()); }), apart("histogram", "keys", false));
  VectorView<std::int64_t> word = vector_on_cuda<std::int64_t>();
  word.size = 1;
  EXPECT_EQ(error_of([&] { histogram(int32_, out_, {.status = word}); }), apart("histogram", "status", true));
}

TEST_F(Devices, HistogramByKey) {
  const VectorView<const std::int64_t> offsets(int64_.data(), 3), order(out_.data(), 4);
  const auto call = [&](auto values, auto of, auto by, auto counts) {
    return error_of([&] { histogram_by_key(values, of, by, counts); });
  };
  const VectorView<const std::int32_t> values(int32_);
  EXPECT_EQ(call(values, offsets, order, counts_), "nothing thrown");
  EXPECT_EQ(call(vector_on_cuda<const std::int32_t>(), offsets, order, counts_), refused("histogram_by_key", "values"));
  EXPECT_EQ(call(values, vector_on_cuda<const std::int64_t>(), order, counts_), refused("histogram_by_key", "offsets"));
  EXPECT_EQ(call(values, offsets, vector_on_cuda<const std::int64_t>(), counts_), refused("histogram_by_key", "order"));
  EXPECT_EQ(call(values, offsets, order, matrix_on_cuda<std::int32_t>()), refused("histogram_by_key", "counts"));
}

TEST_F(Devices, ExclusiveScan) {
  EXPECT_EQ(error_of([&] { exclusive_scan(vector_on_cuda<const std::int32_t>(), out_); }),
            apart("exclusive_scan", "values", true));
  EXPECT_EQ(error_of([&] { exclusive_scan(vector_on_cuda<const std::int64_t>(), out_); }),
            apart("exclusive_scan", "values", true));
  EXPECT_EQ(error_of([&] { exclusive_scan(VectorView<const std::int64_t>(int64_), vector_on_cuda<std::int64_t>()); }),
            apart("exclusive_scan", "values", false));
}

TEST_F(Devices, Compact) {
  EXPECT_EQ(error_of([&] { compact(vector_on_cuda<const std::int32_t>(), flags_, kept_); }),
            refused("compact", "values"));
  EXPECT_EQ(error_of([&] { compact(int32_, vector_on_cuda<const std::uint8_t>(), kept_); }),
            refused("compact", "flags"));
  EXPECT_EQ(error_of([&] { compact(int32_, flags_, vector_on_cuda<std::int32_t>()); }), refused("compact", "kept"));
}

TEST_F(Devices, SortByKey) {
  EXPECT_EQ(error_of([&] { sort_by_key(vector_on_cuda<const std::int32_t>(), int64_, out_); }),
            apart("sort_by_key", "keys", true));
  EXPECT_EQ(error_of([&] { sort_by_key(int32_, vector_on_cuda<std::int64_t>(), out_); }),
            apart("sort_by_key", "keys", false));
  EXPECT_EQ(error_of([&] { sort_by_key(int32_, int64_, vector_on_cuda<std::int64_t>()); }),
            apart("sort_by_key", "order", true));
}

}  // namespace
}  // namespace papilio
