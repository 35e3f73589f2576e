#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "lda/io/files.h"
#include "papilio/texts.h"

namespace papilio::lda {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

TEST(TextFolder, ReadsFilesInTheOrderOfTheirPaths) {
  const Folder folder;
  for (const char* name : {"a", "a/b", "B"}) fs::create_directory(folder.path(name));
  folder.write("a/b/deep.txt", "four");
  folder.write("a.txt", "two");
  folder.write("a/z",
               "\xef\xbb\xbf"
               "five\nfive");
  folder.write("B/x.gz", gzip("one"));
  folder.write("b.zst", zstd("six"));
  folder.write("a/empty", "");
  ReadReport report;
  const Corpus corpus = read_text({.path = folder.path(""), .form = TextForm::folder}, {.threads = 2}, &report);
  EXPECT_EQ(corpus.document_names, (Words{"B/x.gz", "a.txt", "a/b/deep.txt", "a/empty", "a/z", "b.zst"}));
  EXPECT_EQ(corpus, (Corpus{{0, 1, 2, 3, 3, 5, 6}, {0, 1, 2, 3, 3, 4}, {"one", "two", "four", "five", "six"}}));
  EXPECT_EQ(report.format, "folder");
  EXPECT_EQ(report.skipped_files, 0);
  EXPECT_EQ(report.empty_documents, 1);
}

TEST(TextFolder, LeavesOutAndCountsWhatIsHiddenOrNoFile) {
  const Folder folder;
  fs::create_directory(folder.path("sub"));
  fs::create_directory(folder.path(".git"));
  folder.write("sub/real", "cats");
  folder.write(".hidden", "dogs");
  folder.write(".git/config", "dogs");
  fs::create_symlink("sub/real", folder.path("link"));
  fs::create_directory_symlink("..", folder.path("sub/up"));
  fs::create_directory_symlink("sub", folder.path("down"));
  fs::create_symlink("nowhere", folder.path("broken"));
  fs::create_symlink("self", folder.path("self"));
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  ReadReport report;
  const Corpus corpus = read_text({.path = folder.path(""), .form = TextForm::folder}, {}, &report);
  EXPECT_EQ(corpus.document_names, (Words{"link", "sub/real"}));
  EXPECT_EQ(report.skipped_files, 7);
}

TEST(TextFolder, LeavesOutWhatPapilioWrites) {
  const Folder folder;
  folder.write("real", "cats");
  for (const char* name :
       {"real.papilio.safetensors", "real.checkpoint.safetensors", "a.safetensors.previous", "a.safetensors.damaged",
        "real.papilio-corpus", "real.papilio-x1y2.tmp", "a.safetensors.sweep-40.rank-1-of-2", "a.safetensors.1",
        "a.papilio-corpus.12", "a.safetensors.papilio-x1y2.tmp.old"}) {
    EXPECT_TRUE(is_papilio_file_name(name)) << name;
    folder.write(name, "dogs");
  }
  for (const char* name :
       {"real", "notes.tmp", "papilio-", "safetensors.txt", "real.1", "12", ".1", "notes.sweep-40.rank-1-of-2",
        "a.safetensors.sweep-40", "a.safetensors.rank-1-of-2", "a.safetensors1", "notes.tmp.old"}) {
    EXPECT_FALSE(is_papilio_file_name(name)) << name;
  }
  ReadReport report;
  const Corpus corpus = read_text({.path = folder.path(""), .form = TextForm::folder}, {}, &report);
  EXPECT_EQ(corpus.document_names, Words{"real"});
  EXPECT_EQ(report.skipped_files, 10);
}

TEST(TextFolder, NamesTheFileThatIsDamaged) {
  const Folder folder;
  const auto message = [&](const std::string& bytes) {
    folder.write("x.gz", bytes);
    return folder.message<FormatError>(
        [&] { read_text({.path = folder.path("."), .form = TextForm::folder}, {.max_line_bytes = 1000}); });
  };
  const std::string whole = gzip("one\ntwo\nthree");
  EXPECT_EQ(message(whole.substr(0, whole.size() - 3)), "papilio::read_text: ./x.gz:3: gzip stream ends too early");
  EXPECT_EQ(message(gzip(std::string(100000, 'x'))),
            "papilio::read_text: ./x.gz:1: file longer than max_line_bytes = 1000");
  EXPECT_EQ(message("\xff\xfe"),
            "papilio::read_text: ./x.gz:1:1: expected UTF-8, got the byte-order mark of UTF-16 (iconv -f UTF-16 -t "
            "UTF-8 FILE converts it)");
  for (const std::string_view mark : {std::string_view("\xff\xfe\0\0", 4), std::string_view("\0\0\xfe\xff", 4)}) {
    EXPECT_EQ(message(std::string(mark)),
              "papilio::read_text: ./x.gz:1:1: expected UTF-8, got the byte-order mark of UTF-32 (iconv -f UTF-32 -t "
              "UTF-8 FILE converts it)");
  }
  EXPECT_EQ(message(std::string("\x89PNG\r\n\x1a\n\0\0", 10)),
            "papilio::read_text: ./x.gz: expected text, got a binary file (a NUL byte at offset 8)");
  EXPECT_EQ(message(gzip("%PDF-1.4")),
            "papilio::read_text: ./x.gz: expected text, got a PDF file (\"%PDF-\" at offset 0);"
            " extract its text first");
  EXPECT_EQ(folder.message<IoError>([&] { read_text({.path = folder.path("none"), .form = TextForm::folder}); }),
            "papilio::read_text: cannot open none: No such file or directory");
  EXPECT_THROW(read_text({.path = "-", .form = TextForm::folder}), InvalidArgument);
  EXPECT_THROW(read_text({.path = folder.path(""), .form = TextForm::folder, .text = "x"}), InvalidArgument);
}

}  // namespace
}  // namespace papilio::lda
