#include "support/device_choice.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace {

TEST(OnlyGpu, IsTheOneOfTheNumber) {
  EXPECT_EQ(only_gpu(0, nullptr, 4), "0");
  EXPECT_EQ(only_gpu(3, nullptr, 4), "3");
  EXPECT_EQ(only_gpu(0, "2,5", 8), "2");
  EXPECT_EQ(only_gpu(1, "2,5", 8), "5");
  EXPECT_EQ(only_gpu(1, "2,5", 0), "5") << "where the driver does not tell how many there are";
  EXPECT_EQ(only_gpu(1, "GPU-6ff3,MIG-12ab", 1), "MIG-12ab");
}

TEST(OnlyGpu, IsNoneWhereThatIsNotThere) {
  EXPECT_EQ(only_gpu(4, nullptr, 4), std::nullopt);
  EXPECT_EQ(only_gpu(0, nullptr, 0), std::nullopt);
  EXPECT_EQ(only_gpu(2, "2,5", 8), std::nullopt);
  EXPECT_EQ(only_gpu(1, "0", 8), std::nullopt) << "the launcher shows each process its own: --device cuda:0";
  EXPECT_EQ(only_gpu(0, "", 8), std::nullopt);
  EXPECT_EQ(only_gpu(0, "-1", 8), std::nullopt);
  EXPECT_EQ(only_gpu(1, "0,-1", 8), std::nullopt);
  EXPECT_EQ(only_gpu(1, "-1,2", 8), std::nullopt);
  EXPECT_EQ(only_gpu(1, "0,,2", 8), std::nullopt);
}

}  // namespace
