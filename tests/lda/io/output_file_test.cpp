#include "papilio/output_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string>

#include "lda/io/bytes/atomic_file.h"
#include "lda/io/files.h"

namespace papilio {
namespace {

using Existing = OutputReservation::Existing;
using Kind = OutputTarget::Kind;
using lda::Folder;
using Names = std::vector<std::string>;

int code_of(const auto& work) {
  try {
    work();
  } catch (const IoError& error) {
    return error.code;
  }
  return 0;
}

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

TEST(OutputTarget, TellsWhatIsThere) {
  const Folder folder;
  folder.write("file", "");
  std::filesystem::create_directory(folder.path("folder"));
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  folder.path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(socket);
  EXPECT_EQ(output_target(folder.path("none")).kind, Kind::nothing);
  EXPECT_EQ(output_target(folder.path("file")).kind, Kind::file);
  EXPECT_EQ(output_target(folder.path("folder")).kind, Kind::folder);
  EXPECT_EQ(output_target(folder.path("folder/")).kind, Kind::folder);
  EXPECT_EQ(output_target(folder.path("pipe")).kind, Kind::pipe);
  EXPECT_EQ(output_target(folder.path("socket")).kind, Kind::other);
  EXPECT_EQ(output_target("/dev/null").kind, Kind::device);
  for (const char* path : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_EQ(output_target(path).kind, Kind::descriptor) << path;
    EXPECT_EQ(output_target(path).descriptor, STDOUT_FILENO) << path;
  }
}

TEST(OutputTarget, FollowsLinks) {
  const Folder folder;
  const auto link = [&](const char* to, const char* name) {
    std::filesystem::create_symlink(to, folder.path(name));
    return output_target(folder.path(name));
  };
  folder.write("file", "");
  EXPECT_EQ(link("file", "a").kind, Kind::file);
  EXPECT_EQ(link("a", "b").path, folder.path("file"));
  EXPECT_EQ(link("nothing", "c").kind, Kind::nothing);
  EXPECT_EQ(link("c", "d").path, folder.path("nothing"));
  EXPECT_EQ(link("/dev/stdout", "e").descriptor, STDOUT_FILENO);
  EXPECT_EQ(link("/dev/null", "f").kind, Kind::device);
}

TEST(OutputTarget, SaysWhyAPathLeadsNowhere) {
  const Folder folder;
  folder.write("file", "");
  std::filesystem::create_symlink("y", folder.path("x"));
  std::filesystem::create_symlink("x", folder.path("y"));
  std::filesystem::create_symlink("no/where", folder.path("z"));
  const auto code = [](const std::string& path) { return code_of([&] { output_target(path); }); };
  EXPECT_EQ(code(folder.path("x")), ELOOP);
  EXPECT_EQ(code(folder.path("x/file")), ELOOP);
  EXPECT_EQ(code(folder.path("z")), ENOENT);
  EXPECT_EQ(code(folder.path("no/file")), ENOENT);
  EXPECT_EQ(code(folder.path("file/file")), ENOTDIR);
  EXPECT_EQ(code(folder.path("none/")), EISDIR);
  EXPECT_EQ(code(folder.path(std::string(256, 'n'))), ENAMETOOLONG);
  EXPECT_EQ(code(std::string(5000, '/')), ENAMETOOLONG);
  EXPECT_EQ(code(""), ENOENT);
  EXPECT_EQ(code("/proc/self/fd/12345"), EBADF);
}

TEST(PathBeside, IsShortEnoughAndTellsLongNamesApart) {
  EXPECT_EQ(lda::path_beside("/dev/shm/name", ".1"), "/dev/shm/name.1");
  EXPECT_EQ(lda::path_beside("name", ".1"), "name.1");
  EXPECT_EQ(lda::path_beside(std::string(253, 'n'), ".1"), std::string(253, 'n') + ".1");
  const std::string a = lda::path_beside("/dev/shm/" + std::string(254, 'n') + "a", ".1");
  const std::string b = lda::path_beside("/dev/shm/" + std::string(254, 'n') + "b", ".1");
  EXPECT_EQ(a.size(), std::string("/dev/shm/").size() + 255);
  EXPECT_TRUE(a.ends_with(".1"));
  EXPECT_NE(a, b);
}

TEST(OutputReservation, KeepsWhatAppears) {
  const Folder folder;
  const OutputReservation kept(folder.path("a"), Existing::kept);
  folder.write("a", "stranger");
  for (const char* text : {"one", "two"}) {
    EXPECT_EQ(code_of([&] { write_file(folder.path("a"), text); }), EEXIST);
    EXPECT_EQ(folder.read("a"), "stranger");
    EXPECT_EQ(folder.read("a.1"), text);
  }
  EXPECT_EQ(folder.message<IoError>([&] { write_file(folder.path("a"), ""); }),
            "papilio::OutputFile: cannot create a: another file has taken that name in the meantime and is not "
            "replaced; what was written is in a.1");
}

TEST(OutputReservation, ReplacesWhatThisProcessHasWritten) {
  const Folder folder;
  const OutputReservation kept(folder.path("a"), Existing::kept);
  write_file(folder.path("a"), "one");
  write_file(folder.path("a"), "two");
  EXPECT_EQ(folder.read("a"), "two");
  EXPECT_EQ(folder.names().size(), 2u);  // and the lock
}

TEST(OutputReservation, ReplacesWhereThatIsAllowed) {
  const Folder folder;
  {
    const OutputReservation replaced(folder.path("a"), Existing::replaced);
    folder.write("a", "stranger");
    write_file(folder.path("a"), "one");
    EXPECT_EQ(folder.read("a"), "one");
  }
  EXPECT_EQ(folder.names(), Names{"a"});
  write_file(folder.path("a"), "two");  // the reservation is over
  EXPECT_EQ(folder.read("a"), "two");
}

TEST(OutputReservation, IsOneForAllNamesOfAFile) {
  const Folder folder;
  std::filesystem::create_symlink("a", folder.path("link"));
  const OutputReservation first(folder.path("link"), Existing::kept);
  EXPECT_THROW(OutputReservation(folder.path("a"), Existing::kept), InvalidArgument);
  folder.write("a", "stranger");
  EXPECT_EQ(code_of([&] { write_file(folder.path("./a"), "one"); }), EEXIST);
  OutputReservation(folder.path("b"), Existing::kept);
  const OutputReservation null("/dev/null", Existing::kept);
  const OutputReservation again("/dev/null", Existing::kept);
}

// A child holds the reservation until it is killed.
TEST(OutputReservation, ExcludesOtherProcesses) {
  const Folder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputReservation theirs(folder.path("a"), Existing::replaced);
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(code_of([&] { OutputReservation(folder.path("a"), Existing::replaced); }), EBUSY);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(code_of([&] { OutputReservation(folder.path("a"), Existing::replaced); }), 0);
  EXPECT_EQ(folder.names(), Names{});
  ::close(ready[0]);
  ::close(ready[1]);
}

// In a child, since no file can be committed afterwards.
TEST(RemoveUnfinishedFiles, RemovesThem) {
  const Folder folder;
  folder.write("b", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputReservation kept(folder.path("a"), Existing::kept);
    OutputFile a(folder.path("a"));
    OutputFile b(folder.path("b"));
    write_file(folder.path("c"), "whole");
    const bool begun = folder.names().size() == 5;
    remove_unfinished_files();
    ::_exit(begun ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  Names names = folder.names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (Names{"b", "c"}));
  EXPECT_EQ(folder.read("b"), "old");
}

}  // namespace
}  // namespace papilio
