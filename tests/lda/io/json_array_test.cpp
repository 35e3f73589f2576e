#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lda/io/files.h"
#include "lda/io/text/json_array_reader.h"
#include "papilio/corpus_formats.h"
#include "papilio/texts.h"

namespace papilio::lda {
namespace {

using Words = std::vector<std::string>;

class JsonArray : public testing::Test {
 protected:
  Corpus read(const std::string& bytes, const std::string& text = "", const std::string& id = "",
              const TextOptions& options = {}) {
    return read_text({.path = folder_.write("j", bytes), .form = TextForm::json_array, .text = text, .id = id}, options,
                     &report_);
  }
  // Of an array that is refused.
  std::string message(const std::string& bytes, const std::string& text = "", const std::string& id = "",
                      const TextOptions& options = {}) {
    const std::string whole = folder_.message<FormatError>([&] { read(bytes, text, id, options); });
    const std::string before = "papilio::read_text: j:";
    return whole.starts_with(before) ? whole.substr(before.size()) : whole;
  }

  Folder folder_;
  ReadReport report_;
};

TEST_F(JsonArray, ReadsObjectsWhereverLinesEnd) {
  for (const std::string& array :
       {std::string(R"([{"id":7,"text":"cats dogs"},{"text":"dogs","id":"b","x":[{}]}])"),
        std::string("[\n  {\n    \"id\": 7,\n    \"text\": \"cats dogs\"\n  },\n  {\n    \"text\": \"dogs\",\n"
                    "    \"id\": \"b\",\n    \"x\": [\n      {\n      }\n    ]\n  }\n]\n"),
        std::string("\xef\xbb\xbf\r\n\t[\r\n{\r\n\"id\"\r\n:\r\n7\r\n,\"text\":\"cats dogs\"}\r\n,{\"text\":\"dogs\","
                    "\"id\":\"b\"\r\n}\r\n]\r\n \t\n")}) {
    const Corpus corpus = read(array, "", "id");
    EXPECT_EQ(corpus, (Corpus{{0, 2, 3}, {0, 1, 1}, {"cats", "dogs"}})) << array;
    EXPECT_EQ(corpus.document_names, (Words{"7", "b"})) << array;
  }
  EXPECT_EQ(report_.format, "json");
  EXPECT_EQ(read("[{\"body\":\"cats\"}]", "body").vocabulary, Words{"cats"});
}

TEST_F(JsonArray, ReadsStrings) {
  const Corpus corpus = read("[\"cats dogs\", \"\",\n\"dogs\\nand caf\\u00e9 \\ud83d\\ude00 [\\\"{\"]");
  EXPECT_EQ(corpus, (Corpus{{0, 2, 2, 5}, {0, 1, 1, 2, 3}, {"cats", "dogs", "and", "caf\u00e9"}}));
  EXPECT_TRUE(corpus.document_names.empty());
  EXPECT_EQ(report_.invalid_utf8, 0);
  EXPECT_EQ(read("[\"one\\ud83dtwo\xff\"]").vocabulary, (Words{"one", "two"}));
  EXPECT_EQ(report_.invalid_utf8, 2);
}

TEST_F(JsonArray, MayBeEmpty) {
  for (const char* array : {"[]", " [\n] \n", "\xef\xbb\xbf[\t]"}) {
    EXPECT_EQ(read(array).documents(), 0) << array;
    EXPECT_EQ(read(array, "body", "id").documents(), 0) << array;
  }
}

TEST_F(JsonArray, RefusesWhatIsNoArray) {
  const std::string hint = "an array (--format jsonl, in Python format=\"jsonl\", reads an object per line), got ";
  EXPECT_EQ(message("\n {\"text\":\"a\"}"), "2:2: expected " + hint + "\"{\"text\":\"a\"}\"");
  EXPECT_EQ(message(""), "1:1: expected " + hint + "the end of the file");
  EXPECT_EQ(message("\n \n"), "3:1: expected " + hint + "the end of the file");
  EXPECT_EQ(message("[{\"text\":\"a\"}\n{\"text\":\"b\"}]"), "2:1: expected \",\" or \"]\", got \"{\"text\":\"b\"}]\"");
  EXPECT_EQ(message("[{\"text\":\"a\"},\n ]"), "2:2: expected an object like the elements before, got \"]\"");
  EXPECT_EQ(message("[\"a\",]"), "1:6: expected a string like the elements before, got \"]\"");
  EXPECT_EQ(message("[,\"a\"]"), "1:2: expected an object or a string, got \",\"a\"]\"");
  EXPECT_EQ(message("["), "1:2: expected an object or a string, got the end of the file");
  EXPECT_EQ(message("[\n\"a\"\n"), "3:1: expected \",\" or \"]\", got the end of the file");
  EXPECT_EQ(message("[\"a\",\n"), "2:1: expected a string like the elements before, got the end of the file");
  EXPECT_EQ(message("[\"a\"}"), "1:5: expected \",\" or \"]\", got \"}\"");
  EXPECT_EQ(message("[\"a\"]\n["), "2:1: expected the end of the file after the array, got \"[\"");
  EXPECT_EQ(message(std::string("[]\0", 3)), "1:3: expected the end of the file after the array, got \"\\x00\"");
  EXPECT_EQ(message("\xff\xfe[\0"),
            "1:1: expected UTF-8, got the byte-order mark of UTF-16 (iconv -f UTF-16 -t UTF-8 "
            "FILE converts it)");
}

TEST_F(JsonArray, RefusesOtherElements) {
  for (const char* element : {"1", "null", "true", "[\"a\"]", "-"}) {
    EXPECT_EQ(message(fmt::format("[{}]", element)),
              fmt::format("1:2: expected an object or a string, got \"{}]\"", element));
    EXPECT_EQ(message(fmt::format("[\"a\",\n\n {}]", element)),
              fmt::format("3:2: expected a string like the elements before, got \"{}]\"", element));
  }
  EXPECT_EQ(message("[{\"text\":\"a\"}, \"b\"]"), "1:16: expected an object like the elements before, got \"\"b\"]\"");
  EXPECT_EQ(message("[\"b\", {\"text\":\"a\"}]"),
            "1:7: expected a string like the elements before, got \"{\"text\":\"a\"}]\"");
  EXPECT_EQ(message("[\n\"b\"]", "body"), "2:1: expected an object with a field \"body\", got \"\"b\"]\"");
  EXPECT_EQ(message("[\"b\"]", "", "id"), "1:2: expected an object with a field \"id\", got \"\"b\"]\"");
}

// The parser of JSON lines: json_lines_test.cpp has all of its errors.
TEST_F(JsonArray, SaysWhereAnElementIsWrong) {
  EXPECT_EQ(message("[\n  {\n    \"text\": \"a\",\n    \"b\": nul\n  }\n]"),
            "4:10: expected a JSON value, got \"nul\\x0a  }\\x0a]\"");
  EXPECT_EQ(message("[{\"text\":\"a\",\n\"text\":\"b\"}]"),
            "2:1: expected a key that has not occurred yet, got \"\"text\":\"b\"}]\"");
  EXPECT_EQ(message("[{\"text\":\"a\"},\n {\n\"body\":\"b\"}]"),
            "2:2: expected a field \"text\", got \"body\" (--text-field NAME, in Python text_column=, names the field "
            "of the text)");
  EXPECT_EQ(message("[{\"text\":\n 1}]"), "2:2: expected a string as \"text\", got \"1}]\"");
  EXPECT_EQ(message("[{\n"), "2:1: expected a key in quotation marks, got the end of the file");
  EXPECT_EQ(message("[{\"text\":\"a\n\"}]"),
            "1:12: expected no control character in a string (\\n, \\t and \\u0000 are escapes), got \"\\x0a\"}]\"");
  EXPECT_EQ(message("[\"a\", \"b"), "1:7: expected a string that ends with a quotation mark, got \"\"b\"");
  const auto nested = [](int levels) {
    const auto count = static_cast<std::size_t>(levels);
    return "[{\"a\":" + std::string(count, '[') + std::string(count, ']') + ",\"text\":\"yes\"}]";
  };
  EXPECT_EQ(read(nested(99)).vocabulary, Words{"yes"});
  EXPECT_EQ(message(nested(100)).substr(0, 49), "1:106: expected at most 100 levels of nesting, go");
  EXPECT_EQ(message(nested(1000000)).substr(0, 49), "1:106: expected at most 100 levels of nesting, go");
}

// A quotation mark that is missing, at a place far from where the file begins, and far from where it ends.
TEST_F(JsonArray, StopsAtTheFirstError) {
  std::string array = "[";
  for (int i = 0; i < 30000; ++i) array += "{\"text\":\"cats\",\"n\":1},";
  const std::size_t before = array.size();
  array += "{\"text\":\"cats,\"n\":1},";
  for (int i = 0; i < 30000; ++i) array += "{\"text\":\"cats\",\"n\":1},";
  EXPECT_EQ(message(array).substr(0, 40), fmt::format("1:{}: expected \",\" or \"}}\", got \"n\":1", before + 16));
}

// An array in which everything occurs, and its elements.
const std::string all_of_json =
    "\xef\xbb\xbf [ {\"id\" : -1.5e+3, \"text\": \"caf\\u00e9 \\ud83d\\ude00 \\ud83d\\u0041 \\\"\\\\\\/\\b\\n\"},\n"
    "{\"a\":[true,false,null,[],{},{\"b\":\"\\\"]}\"}],\r\n\"text\":\"\",\"id\":\"\\u00df\"}\n\n,{\"id\":0,"
    "\"text\":\"cats and dogs\"}]\n \n";

// The elements' bytes, by blocks of that size; or what is wrong and where.
std::string elements_in_blocks(const std::string& path, std::size_t block_bytes) {
  MemoryLimit limit(0);
  try {
    JsonArrayReader reader({"test", path}, limit, 1000, 1, block_bytes);
    std::string found;
    while (reader.next_element()) {
      const std::int64_t line = reader.line();
      reader.element().skip_value(0);
      const std::size_t bytes = reader.element().at();
      reader.end_element();
      found += fmt::format("{} bytes in lines {} to {}; ", bytes, line, reader.line());
    }
    return found;
  } catch (const FormatError& error) {
    const std::string text = error.what();
    return fmt::format("{}:{} {}", error.line, error.column, text.substr(0, text.find(", got ")));
  }
}

TEST_F(JsonArray, IsTheSameInBlocksOfAnySize) {
  const std::string path = folder_.write("j", all_of_json);
  EXPECT_EQ(elements_in_blocks(path, 4096),
            "74 bytes in lines 1 to 1; 68 bytes in lines 2 to 3; 31 bytes in lines 5 to 5; ");
  for (std::size_t bytes = 4; bytes <= all_of_json.size() + 1; ++bytes) {
    EXPECT_EQ(elements_in_blocks(path, bytes), elements_in_blocks(path, 4096)) << bytes;
  }
}

// Every array that ends too early is refused, and in blocks of any size at the same place.
TEST_F(JsonArray, IsRefusedWhereverItIsCut) {
  const std::size_t whole = all_of_json.rfind(']');
  for (std::size_t cut = 0; cut <= whole; ++cut) {
    const std::string bytes = all_of_json.substr(0, cut);
    EXPECT_NE(message(bytes, "", "id").find("expected "), std::string::npos) << cut;
    const std::string path = folder_.path("j");
    const std::string expected = elements_in_blocks(path, 4096);
    EXPECT_NE(expected.find("expected"), std::string::npos) << cut;
    for (std::size_t block = 4; block < 10; ++block) EXPECT_EQ(elements_in_blocks(path, block), expected) << cut;
  }
}

TEST_F(JsonArray, BoundsAnElement) {
  const std::string text(90, 'x');
  EXPECT_EQ(read("[\"" + text + "12345678\"]", "", "", {.max_line_bytes = 100}).documents(), 1);
  EXPECT_EQ(message("[\n \"" + text + "123456789\"]", "", "", {.max_line_bytes = 100}),
            "2:2: element of 101 bytes, longer than max_line_bytes = 100");
  EXPECT_EQ(message("[\"a\",\"" + std::string(1000000, 'x'), "", "", {.max_line_bytes = 1000}),
            "1:6: element longer than max_line_bytes = 1000");
  EXPECT_EQ(
      read("[" + std::string(1000000, ' ') + "\"cats\"" + std::string(1000000, '\n') + "]" + std::string(1000000, '\t'),
           "", "", {.max_line_bytes = 100})
          .vocabulary,
      Words{"cats"});
}

TEST_F(JsonArray, CountsTheMemoryOfAnElement) {
  const std::string bytes = "[\n\"" + std::string(8000000, ' ') + "\"]";
  EXPECT_EQ(read(bytes).documents(), 1);
  const std::string refused = message(bytes, "", "", {.max_memory = 8000000});
  EXPECT_TRUE(refused.starts_with("2: an element of ")) << refused;
  EXPECT_NE(refused.find("needs more than 8000000 bytes of memory"), std::string::npos) << refused;
}

TEST_F(JsonArray, SaysWhereAStreamIsDamaged) {
  std::string array = "[\n";
  for (int i = 0; i < 100; ++i) array += "\"cats\",\n";
  const std::string whole = gzip(array + "\"dogs\"]");
  EXPECT_EQ(read(whole).documents(), 101);
  EXPECT_EQ(message(whole.substr(0, whole.size() - 4)), "102: gzip stream ends too early");
}

// Fields in any order, over several blocks, compressed or not, on any number of threads.
TEST_F(JsonArray, GivesTheCorpusOfJsonLines) {
  std::string lines, one_line = "[", pretty = "[", strings = "[ ";
  for (int i = 0; i < 20000; ++i) {
    std::string body = "common \\u00e9t\\u00e9";
    for (int j = 0; j < i % 13; ++j) body.append(" w").append(1 + (i * 5 + j) % 60, static_cast<char>('a' + j));
    const std::string record = fmt::format(R"({{"id":{},"n":[1,{{"text":"no"}}],"text":"{}"}})", i, body);
    const char* between = i == 0 ? "" : ",";
    lines += record + "\n";
    one_line += between + record;
    pretty += fmt::format("{}\n  {{\n    \"text\" : \"{}\",\n    \"id\" : \"{}\"\n  }}", between, body, i);
    strings += fmt::format("{}\"{}\"", between, body);
  }
  const TextOptions alone = {.min_df = 2, .threads = 1};
  const Corpus expected =
      read_text({.path = folder_.write("l", lines), .form = TextForm::json_lines, .id = "id"}, alone);
  ASSERT_EQ(expected.documents(), 20000);
  for (const int threads : {1, 3}) {
    const TextOptions options = {.min_df = 2, .threads = threads};
    for (const std::string& array : {one_line + "]", pretty + "\n]\n"}) {
      for (const std::string& bytes : {array, gzip(array), zstd(array)}) {
        const Corpus corpus = read(bytes, "text", "id", options);
        EXPECT_TRUE(corpus == expected) << threads;
        EXPECT_EQ(corpus.document_names, expected.document_names);
      }
    }
    EXPECT_TRUE(read(strings + "]", "", "", options) == expected) << threads;
  }
}

TEST_F(JsonArray, ShowsItsTexts) {
  const std::string path =
      folder_.write("x.json", "[{\"text\":\"cats\\nand dogs\"},{\"text\":\"\"},{\"text\":\"mice\"}]");
  const std::optional<TextSource> source = find_texts(path);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->form, TextForm::json_array);
  const SourceTexts found = read_source_texts(*source, std::vector<std::int64_t>{0, 2}, 6);
  EXPECT_EQ(found.texts, (Words{"cats\na", "mice"}));
  EXPECT_EQ(found.documents, 3);
}

}  // namespace
}  // namespace papilio::lda
