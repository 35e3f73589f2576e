#include "lda/io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "lda/io/files.h"

namespace papilio::lda {
namespace {

using Names = std::vector<std::string>;

TEST(AtomicFile, AppearsWholeAtCommit) {
  const Folder folder;
  const std::string large(1000000, 'x');
  {
    AtomicFile file(folder.path("target"));
    file.write("small ");
    file.write(large.data(), large.size());
    file.write("");
    file.write(" end");
    EXPECT_FALSE(std::filesystem::exists(folder.path("target")));
    file.commit();
  }
  EXPECT_EQ(folder.read("target"), "small " + large + " end");
  EXPECT_EQ(folder.names(), Names{"target"});
}

TEST(AtomicFile, LeavesTheOldFileUnlessCommitted) {
  const Folder folder;
  folder.write("target", "old");
  {
    AtomicFile file(folder.path("target"));
    file.write(std::string(1000000, 'x'));
    EXPECT_EQ(folder.names().size(), 2u);
  }
  EXPECT_EQ(folder.read("target"), "old");
  EXPECT_EQ(folder.names(), Names{"target"});
}

TEST(AtomicFile, KeepsPermissionsAndFollowsLinks) {
  const Folder folder;
  folder.write("target", "old");
  std::filesystem::permissions(folder.path("target"), std::filesystem::perms{0640});
  std::filesystem::create_symlink(folder.path("target"), folder.path("link"));
  AtomicFile file(folder.path("link"));
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(folder.read("target"), "new");
  EXPECT_EQ(std::filesystem::status(folder.path("target")).permissions(), std::filesystem::perms{0640});
}

TEST(AtomicFile, GivesNewFilesTheUsualPermissions) {
  const Folder folder;
  const mode_t mask = ::umask(027);
  AtomicFile file(folder.path("target"));
  file.commit();
  ::umask(mask);
  EXPECT_EQ(std::filesystem::status(folder.path("target")).permissions(), std::filesystem::perms{0640});
}

TEST(AtomicFile, TwoWritersOfOneTargetDoNotMix) {
  const Folder folder;
  AtomicFile first(folder.path("target"));
  AtomicFile second(folder.path("target"));
  first.write("first");
  second.write("second");
  second.commit();
  EXPECT_EQ(folder.read("target"), "second");
  first.commit();
  EXPECT_EQ(folder.read("target"), "first");
  EXPECT_EQ(folder.names(), Names{"target"});
}

TEST(AtomicFile, NamesTargetsThatCannotBeWritten) {
  const Folder folder;
  EXPECT_EQ(folder.message<IoError>([&] { AtomicFile(folder.path("no/target"), "test"); }),
            "test: cannot create no/target: No such file or directory");
  EXPECT_EQ(folder.message<IoError>([&] { AtomicFile(folder.path(""), "test"); }),
            "test: cannot create : Is a directory");
  EXPECT_THROW(AtomicFile("", "test"), IoError);
}

// A device is written to, never replaced; a full one is an error.
TEST(AtomicFile, WritesDirectlyToDevices) {
  AtomicFile null("/dev/null");
  null.write("nothing");
  null.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  AtomicFile full("/dev/full", "test");
  full.write("something");
  try {
    full.commit();
    FAIL();
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "test: cannot write to /dev/full: No space left on device");
    EXPECT_EQ(error.code, ENOSPC);
  }
}

TEST(AtomicFile, WritesToStandardOutput) {
  testing::internal::CaptureStdout();
  {
    AtomicFile file("-");
    file.write("to standard output\n");
    file.commit();
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "to standard output\n");
}

}  // namespace
}  // namespace papilio::lda
