#include "lda/io/bytes/byte_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "lda/io/files.h"

namespace papilio::lda {
namespace {

std::string read_all(const std::string& path, std::size_t step = 1000) {
  const auto source = open_byte_source({"test", path});
  std::string all;
  std::string block(step, '\0');
  while (const std::size_t got = source->read(block.data(), block.size())) all.append(block, 0, got);
  return all;
}

// Numbers in words: compressible, but not to nothing.
std::string sample_text(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += "line " + std::to_string(i * 7919) + " of the sample\n";
  return text;
}

TEST(ByteSource, HasPartsWhereItIsAPlainFile) {
  const Folder folder;
  EXPECT_TRUE(has_parts(folder.write("plain", "a\n")));
  EXPECT_TRUE(has_parts(folder.write("empty", "")));
  EXPECT_FALSE(has_parts(folder.write("gz", gzip("a\n"))));
  EXPECT_FALSE(has_parts(folder.write("zst", zstd("a\n"))));
  for (const std::string& other : {folder.path("none"), folder.path(""), std::string("-"), std::string("/dev/null")}) {
    EXPECT_FALSE(has_parts(other)) << other;
  }
}

TEST(ByteSource, GivesTheSameBytesPlainAndCompressed) {
  const Folder folder;
  const std::string text = sample_text(30000);  // more than a block
  for (const std::size_t step : {std::size_t{1}, std::size_t{4096}, std::size_t{1} << 20}) {
    EXPECT_EQ(read_all(folder.write("plain", text), step), text);
    EXPECT_EQ(read_all(folder.write("gzip", gzip(text)), step), text);
    EXPECT_EQ(read_all(folder.write("zstd", zstd(text)), step), text);
  }
}

TEST(ByteSource, ReadsFilesShorterThanAnySignature) {
  const Folder folder;
  for (const std::string text : {"", "a", "\x1f", "\x28\xb5\x2f"})
    EXPECT_EQ(read_all(folder.write("short", text)), text);
}

TEST(ByteSource, JoinsGzipMembersAndZstdFrames) {
  const Folder folder;
  const std::string text = sample_text(100);
  EXPECT_EQ(read_all(folder.write("gzip", gzip(text) + gzip("") + gzip("end"))), text + "end");
  EXPECT_EQ(read_all(folder.write("zstd", zstd(text) + zstd("") + zstd("end"))), text + "end");
  const std::string skippable("\x51\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  EXPECT_EQ(read_all(folder.write("zstd", skippable + zstd(text))), text);
}

TEST(ByteSource, RefusesEveryTruncation) {
  const Folder folder;
  const std::string text = sample_text(20);
  for (const std::string& whole : {gzip(text), zstd(text)}) {
    for (std::size_t size = 4; size < whole.size(); ++size) {
      const std::string path = folder.write("cut", whole.substr(0, size));
      EXPECT_THROW(read_all(path), DamagedStream) << size << " of " << whole.size() << " bytes";
    }
  }
  const std::string whole = gzip(text);
  EXPECT_EQ(folder.message<DamagedStream>([&] { read_all(folder.write("cut", whole.substr(0, whole.size() - 1))); }),
            "gzip stream ends too early");
  const std::string frame = zstd(text);
  EXPECT_EQ(folder.message<DamagedStream>([&] { read_all(folder.write("cut", frame.substr(0, frame.size() - 1))); }),
            "zstd stream ends too early");
}

TEST(ByteSource, RefusesDamageAndOtherBytesBehind) {
  const Folder folder;
  std::string bytes = gzip(sample_text(20));
  EXPECT_EQ(folder.message<DamagedStream>([&] { read_all(folder.write("behind", bytes + "xyz")); }),
            "gzip stream is followed by other bytes");
  bytes[bytes.size() - 6] ^= 1;  // of the check sum
  EXPECT_EQ(folder.message<DamagedStream>([&] { read_all(folder.write("flipped", bytes)); }),
            "damaged gzip stream: incorrect data check");
  EXPECT_EQ(folder.message<DamagedStream>([&] { read_all(folder.write("behind", zstd("abc") + "wxyz")); }),
            "damaged zstd stream: Unknown frame descriptor");
}

TEST(ByteSource, NamesFilesThatCannotBeRead) {
  const Folder folder;
  EXPECT_EQ(folder.message<IoError>([&] { read_all(folder.path("nothing.txt")); }),
            "test: cannot open nothing.txt: No such file or directory");
  EXPECT_EQ(folder.message<IoError>([&] { read_all(folder.path("")); }), "test: cannot read : Is a directory");
  try {
    read_all(folder.path("nothing.txt"));
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(error.code, ENOENT);
  }
}

TEST(ByteSource, ReadsStandardInput) {
  const Folder folder;
  const std::string text = sample_text(3000);
  const int saved = ::dup(STDIN_FILENO);
  for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
    ASSERT_NE(std::freopen(folder.write("input", bytes).c_str(), "rb", stdin), nullptr);
    EXPECT_EQ(read_all("-"), text);
  }
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
}

}  // namespace
}  // namespace papilio::lda
