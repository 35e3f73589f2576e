#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lda/io/files.h"
#include "papilio/texts.h"

namespace papilio::lda {
namespace {

using Words = std::vector<std::string>;

const std::string caller = "papilio::read_text: ";
const std::string is_header =
    "is this a header? A table without one is read with header = false, --no-header, and its columns have numbers)";
const std::string no_text = " (--text-column NAME, in Python text_column=, names the column of the text; " + is_header;

TEST(Table, ReadsTheColumnOfAHeader) {
  const Folder folder;
  const std::string path = folder.write("t.csv", "id,body,year\r\na,cats dogs,1\r\nb,dogs,2\r\n");
  ReadReport report;
  const Corpus corpus = read_text({.path = path, .form = TextForm::csv, .text = "body", .id = "id"}, {}, &report);
  EXPECT_EQ(corpus, (Corpus{{0, 2, 3}, {0, 1, 1}, {"cats", "dogs"}}));
  EXPECT_EQ(corpus.document_names, (Words{"a", "b"}));
  EXPECT_EQ(report.format, "csv");
  EXPECT_EQ(report.documents, 2);
  EXPECT_EQ(report.tokens_read, 3);
  EXPECT_EQ(read_text({.path = path, .form = TextForm::csv, .text = "2"}), corpus);
  EXPECT_TRUE(read_text({.path = path, .form = TextForm::csv, .text = "2"}).document_names.empty());
}

TEST(Table, UndoesQuotes) {
  const Folder folder;
  const std::string path = folder.write("t.csv",
                                        "text,id\n"
                                        "\"one, two\",\"a\"\"b\"\n"
                                        "\"three\nfour\r\n\r\nfive\",\"line\r\nend\"\n"
                                        "\"\",\"\"\n"
                                        "6\" disk,x\n"
                                        ",\n");
  const Corpus corpus = read_text({.path = path, .form = TextForm::csv, .id = "id"});
  EXPECT_EQ(corpus, (Corpus{{0, 2, 5, 5, 6, 6}, {0, 1, 2, 3, 4, 5}, {"one", "two", "three", "four", "five", "disk"}}));
  EXPECT_EQ(corpus.document_names, (Words{"a\"b", "line\nend", "", "x", ""}));
}

TEST(Table, KnowsTabsAndTablesWithoutHeader) {
  const Folder folder;
  const std::string path = folder.write("t.tsv", "x\tone, two\n\"y\tz\"\tthree\n");
  const TextSource source = {.path = path, .form = TextForm::tsv, .text = "2", .id = "1", .header = false};
  const Corpus corpus = read_text(source);
  EXPECT_EQ(corpus, (Corpus{{0, 2, 3}, {0, 1, 2}, {"one", "two", "three"}}));
  EXPECT_EQ(corpus.document_names, (Words{"x", "y\tz"}));
  const std::string quotes = folder.write("q.tsv", "a\t\"one\" two\n");
  TextSource plain = {.path = quotes, .form = TextForm::tsv, .text = "2", .header = false, .quotes = false};
  EXPECT_EQ(read_text(plain), (Corpus{{0, 2}, {0, 1}, {"one", "two"}}));
  plain.quotes = true;
  EXPECT_EQ(folder.message<FormatError>([&] { read_text(plain); }),
            caller +
                "q.tsv:1:8: expected a tab or the end of the line after the closing quote, got \" two\" (a quote "
                "within a quoted field is written twice; read with quotes = false, --no-quotes, if quotes mean nothing "
                "here)");
}

TEST(Table, FindsTheTextWithoutBeingTold) {
  const Folder folder;
  const auto read = [&](const std::string& table) {
    return read_text({.path = folder.write("t", table), .form = TextForm::csv}).vocabulary;
  };
  EXPECT_EQ(read("a,text\n1,cats\n"), Words{"cats"});
  EXPECT_EQ(read("body\ncats\n\ndogs\n"), (Words{"cats", "dogs"}));
  EXPECT_EQ(folder.message<FormatError>([&] { read("a,b\n1,cats\n"); }),
            caller + "t:1: expected a column \"text\", got \"a\", \"b\"" + no_text);
}

TEST(Table, SkipsEmptyLinesBetweenRecords) {
  const Folder folder;
  const auto documents = [&](const std::string& table) {
    return read_text({.path = folder.write("t", table), .form = TextForm::csv, .text = "1"}).documents();
  };
  EXPECT_EQ(documents("a,b\n1,2\n\n3,4\n\n"), 2);
  EXPECT_EQ(documents("a\n1\n\n3\n"), 3) << "an empty line of a table with one column is an empty document";
  EXPECT_EQ(documents("a,b\n"), 0);
  EXPECT_EQ(documents("\xef\xbb\xbf"
                      "a,b\n1,2"),
            1);
}

TEST(Table, SaysWhatIsWrongAndWhere) {
  const Folder folder;
  const auto message = [&](const std::string& table, const std::string& column) {
    return folder.message<FormatError>(
        [&] { read_text({.path = folder.write("t", table), .form = TextForm::csv, .text = column}); });
  };
  EXPECT_EQ(message("", "a"), caller + "t:1: expected a header with the columns' names, got the end of the file");
  EXPECT_EQ(message("a,b\n", "c"), caller + "t:1: expected a column \"c\", got \"a\", \"b\"" + no_text);
  EXPECT_EQ(folder.message<FormatError>([&] {
    read_text({.path = folder.write("t", "a,b\n"), .form = TextForm::csv, .text = "b", .id = "c"});
  }),
            caller + "t:1: expected a column \"c\", got \"a\", \"b\" (" + is_header);
  EXPECT_EQ(folder.message<FormatError>(
                [&] { read_text({.path = folder.write("t", "a,b\n"), .form = TextForm::csv, .header = false}); }),
            caller +
                "t:1: 2 columns: choose the one that holds the text by its number (--text-column NUMBER, in Python "
                "text_column=)");
  EXPECT_EQ(message("a,b\n", "3"), caller + "t:1: expected at least 3 columns, got 2");
  EXPECT_EQ(message("a,a\n", "a"), caller + "t:1: column \"a\" is there twice; choose one by its number");
  EXPECT_EQ(message("a,b\n1,2\n\n3\n", "a"), caller + "t:4: expected 2 fields as on line 1, got 1");
  EXPECT_EQ(message("a,b\n1,2,3\n", "a"), caller + "t:2: expected 2 fields as on line 1, got 3");
  EXPECT_EQ(message("a,b\n1,\"2\n3\n", "a"),
            caller + "t:2:3: expected a quote that closes the one here, got the end of the file");
  EXPECT_EQ(message("a,b\n\"1\"x,2\n", "a"),
            caller +
                "t:2:4: expected \",\" or the end of the line after the closing quote, got \"x,2\" (a quote "
                "within a quoted field is written twice; read with quotes = false, --no-quotes, if quotes mean nothing "
                "here)");
  EXPECT_EQ(folder.message<FormatError>([&] {
    read_text({.path = folder.write("t", "a,b\n\xff,x\n"), .form = TextForm::csv, .text = "b", .id = "a"});
  }),
            caller + "t:2: expected UTF-8 as the id, got \"\\xff\"");
  EXPECT_EQ(folder.message<InvalidArgument>(
                [&] { read_text({.path = folder.path("t"), .form = TextForm::csv, .text = "b", .header = false}); }),
            caller + "t: column \"b\" can only be found by name where the table has a header; give its number");
}

TEST(Table, BoundsARecord) {
  const Folder folder;
  std::string table = "a\n\"";
  for (int i = 0; i < 200; ++i) table += "word\n";
  EXPECT_EQ(folder.message<FormatError>(
                [&] { read_text({.path = folder.write("t", table), .form = TextForm::csv}, {.max_line_bytes = 100}); }),
            caller + "t:2: record longer than max_line_bytes = 100, with a quote that opens on line 2");
}

// Blocks of several pieces, fields over several lines, compressed or not, any number of threads.
TEST(Table, GivesTheSameCorpusInAllForms) {
  const Folder folder;
  std::string csv = "id,text\n";
  std::string tsv = csv;
  std::string text;
  std::replace(tsv.begin(), tsv.end(), ',', '\t');
  for (int i = 0; i < 30000; ++i) {
    std::string body = "common";
    for (int j = 0; j < i % 17; ++j) body.append(" w").append(1 + (i * 7 + j) % 40, static_cast<char>('a' + j));
    csv += std::to_string(i) + ",\"" + body + ",\n\"\"quoted\"\"\"\n";
    tsv += std::to_string(i) + "\t" + body + " quoted\n";
    text += body + " quoted\n";
  }
  const auto read = [&](const std::string& bytes, TextForm form, int threads) {
    const std::string id = form == TextForm::lines ? "" : "id";
    return read_text({.path = folder.write("t", bytes), .form = form, .id = id}, {.min_df = 2, .threads = threads});
  };
  const Corpus expected = read(text, TextForm::lines, 1);
  EXPECT_EQ(expected.documents(), 30000);
  EXPECT_TRUE(read(csv, TextForm::csv, 1) == expected);
  EXPECT_TRUE(read(gzip(csv), TextForm::csv, 3) == expected);
  EXPECT_TRUE(read(zstd(tsv), TextForm::tsv, 0) == expected);
  EXPECT_EQ(read(tsv, TextForm::tsv, 2).document_names[29999], "29999");
}

TEST(Table, CountsTheMemoryOfNames) {
  const Folder folder;
  std::string table = "id,text\n";
  for (int i = 0; i < 1000; ++i) table += std::string(2000, 'x') + ",cats\n";
  const std::string path = folder.write("t.gz", gzip(table));
  EXPECT_EQ(read_text({.path = path, .form = TextForm::csv}, {.max_memory = 1000000}).documents(), 1000);
  EXPECT_THROW(read_text({.path = path, .form = TextForm::csv, .id = "id"}, {.max_memory = 1000000}), FormatError);
}

}  // namespace
}  // namespace papilio::lda
