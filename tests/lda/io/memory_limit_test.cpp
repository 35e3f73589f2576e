#include "lda/io/bytes/memory_limit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "lda/io/files.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

// A tree of control groups, as /sys/fs/cgroup shows it.
class ControlGroups : public testing::Test {
 protected:
  void add(const std::string& file, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_.path("root/" + file)).parent_path());
    folder_.write("root/" + file, text);
  }
  std::int64_t limit(const std::string& groups) {
    folder_.write("groups", groups);
    return control_group_limit(folder_.path("groups"), folder_.path("root"));
  }

  Folder folder_;
};

TEST_F(ControlGroups, Version2HasTheLeastLimitOnTheWayUp) {
  add("a/b/memory.max", "max\n");
  add("a/memory.max", "1073741824\n");
  add("memory.max", "2147483648\n");
  EXPECT_EQ(limit("0::/a/b\n"), 1073741824);
  EXPECT_EQ(limit("0::/a\n"), 1073741824);
  EXPECT_EQ(limit("0::/\n"), 2147483648);
}

TEST_F(ControlGroups, Version1HasAFolderPerController) {
  add("memory/docker/x/memory.limit_in_bytes", "536870912\n");
  add("memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limit("12:cpu,cpuacct:/y\n11:hugetlb,memory:/docker/x\n0::/z\n"), 536870912);
  EXPECT_EQ(limit("11:memory:/elsewhere\n"), 9223372036854771712);
}

// The path is the host's, and the container sees its own group as the root.
TEST_F(ControlGroups, InAContainerTheRootIsTheGroup) {
  add("memory.max", "268435456\n");
  EXPECT_EQ(limit("0::/system.slice/of/the/host\n"), 268435456);
}

TEST_F(ControlGroups, WhatIsNotThereLimitsNothing) {
  EXPECT_EQ(limit(""), none);
  EXPECT_EQ(limit("0::/a\nnonsense\n::\n"), none);
  add("a/memory.max", "many\n");
  add("memory.max", "-1\n");
  EXPECT_EQ(limit("0::/a\n"), none);
  EXPECT_EQ(control_group_limit(folder_.path("absent"), folder_.path("root")), none);
}

// A group beyond memory.high is slowed down to a crawl, so that it limits as memory.max does.
TEST_F(ControlGroups, MemoryHighLimitsToo) {
  add("a/b/memory.max", "1073741824\n");
  add("a/b/memory.high", "max\n");
  EXPECT_EQ(limit("0::/a/b\n"), 1073741824);
  add("a/memory.high", "805306368\n");
  EXPECT_EQ(limit("0::/a/b\n"), 805306368);
}

// systemd's hybrid: version 1 counts memory, version 2 lies beside it.
TEST_F(ControlGroups, BothVersionsAtOnce) {
  add("memory/a/memory.limit_in_bytes", "536870912\n");
  add("unified/b/memory.max", "268435456\n");
  EXPECT_EQ(limit("4:memory:/a\n0::/c\n"), 536870912);
  EXPECT_EQ(limit("4:memory:/a\n0::/b\n"), 268435456);
}

TEST(MemoryLimit, IsSharedByTheParts) {
  MemoryLimit limit(1000);
  MemoryShare first(limit);
  EXPECT_TRUE(first.set(600));
  {
    MemoryShare second(limit);
    EXPECT_TRUE(second.set(300));
    EXPECT_FALSE(second.set(401));
    EXPECT_EQ(limit.left(), 100);
    EXPECT_TRUE(first.set(200));
    EXPECT_TRUE(second.set(401));
    EXPECT_FALSE(limit.holds(400));
  }
  EXPECT_EQ(limit.left(), 800);
  EXPECT_FALSE(first.set(1001));
  EXPECT_TRUE(first.set(1000));
}

TEST(MemoryLimit, IsPartOfTheMachineUnlessGiven) {
  EXPECT_EQ(MemoryLimit(12345).bytes(), 12345);
  EXPECT_GT(MemoryLimit(0).bytes(), 1 << 20);
  EXPECT_LT(MemoryLimit(0).bytes(), none / 2);
}

}  // namespace
}  // namespace papilio::lda
