#include "lda/io/bytes/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
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

Names sorted_names(const Folder& folder) {
  Names names = folder.names();
  std::sort(names.begin(), names.end());
  return names;
}

void write_keeping(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit(".old");
}

TEST(AtomicFile, KeepsTheOldFileUnderASecondName) {
  const Folder folder;
  write_keeping(folder.path("target"), "first");
  EXPECT_EQ(folder.names(), Names{"target"});
  for (const char* text : {"second", "third"}) {
    const std::string before = folder.read("target");
    write_keeping(folder.path("target"), text);
    EXPECT_EQ(folder.read("target"), text);
    EXPECT_EQ(folder.read("target.old"), before);
    EXPECT_EQ(sorted_names(folder), (Names{"target", "target.old"}));
  }
}

// As a process leaves them that was killed between the two renames.
TEST(AtomicFile, TellsTwoNamesOfOneFileApart) {
  const Folder folder;
  folder.write("target", "first");
  std::filesystem::create_hard_link(folder.path("target"), folder.path("target.old"));
  write_keeping(folder.path("target"), "second");
  EXPECT_EQ(folder.read("target"), "second");
  EXPECT_EQ(folder.read("target.old"), "first");
  EXPECT_EQ(sorted_names(folder), (Names{"target", "target.old"}));
}

TEST(AtomicFile, KeepsTheOldFileBesideWhatALinkNames) {
  const Folder folder;
  std::filesystem::create_directory(folder.path("far"));
  folder.write("far/target", "first");
  std::filesystem::create_symlink("far/target", folder.path("link"));
  write_keeping(folder.path("link"), "second");
  EXPECT_EQ(folder.read("far/target"), "second");
  EXPECT_EQ(folder.read("far/target.old"), "first");
  EXPECT_EQ(follow_links(folder.path("link")), std::filesystem::canonical(folder.path("far/target")).string());
}

const std::string abandoned = ".papilio-0123456789abcdef.tmp";

TEST(AtomicFile, RemovesWhatKilledProcessesLeft) {
  const Folder folder;
  const Names stay = {"other" + abandoned,
                      "target",
                      "target.2031-01.tmp",
                      "target.old",
                      "target.papilio-0123456789abcde.tmp",
                      "target.papilio-0123456789abcdeg.tmp",
                      "target.papilio-0123456789abcdef.tmpx",
                      "target.papilio-0123456789abcdef0.tmp",
                      "target.x.papilio-0123456789abcdef.tmp",
                      "xtarget" + abandoned};
  for (const std::string& name : stay) folder.write(name, "");
  folder.write("target" + abandoned, "");
  folder.write("target.papilio-ffffffffffffffff.tmp.old", "");
  remove_abandoned(folder.path("target"));
  Names expected = stay;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted_names(folder), expected);
  remove_abandoned(folder.path("no/such/folder"));
}

// Not a matter of process numbers, which other containers give too: another process, here a child, holds a lock for as
// long as it writes, and a killed one does not.
TEST(AtomicFile, KeepsWhatAProcessAtWorkHasBegun) {
  const Folder folder;
  const AtomicFile ours(folder.path("target"));
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const AtomicFile theirs(folder.path("target"));
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  remove_abandoned(folder.path("target"));
  EXPECT_EQ(folder.names().size(), 2u);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  remove_abandoned(folder.path("target"));
  EXPECT_EQ(folder.names().size(), 1u);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(AtomicFile, KeepsTheLinkOfAWriterAtWork) {
  const Folder folder;
  const AtomicFile ours(folder.path("target"));
  const std::string link = folder.names().front() + ".old";
  folder.write(link, "");
  remove_abandoned(folder.path("target"));
  EXPECT_EQ(folder.names().size(), 2u);
}

// A file of such a name that is not a file: a link elsewhere, a pipe, is not opened, followed or waited for.
TEST(AtomicFile, LeavesWhatIsNoFileAlone) {
  const Folder folder;
  folder.write("precious", "text");
  std::filesystem::create_symlink("precious", folder.path("target" + abandoned));
  ASSERT_EQ(::mkfifo(folder.path("target.papilio-00000000000000ff.tmp").c_str(), 0600), 0);
  remove_abandoned(folder.path("target"));
  EXPECT_EQ(folder.names().size(), 3u);
  EXPECT_EQ(folder.read("precious"), "text");
}

}  // namespace
}  // namespace papilio::lda
