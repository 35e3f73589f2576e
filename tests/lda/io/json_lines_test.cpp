#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lda/io/files.h"
#include "papilio/texts.h"

namespace papilio::lda {
namespace {

using Words = std::vector<std::string>;

class JsonLines : public testing::Test {
 protected:
  Corpus read(const std::string& lines, const std::string& text = "", const std::string& id = "") {
    return read_text({.path = folder_.write("j", lines), .form = TextForm::json_lines, .text = text, .id = id}, {},
                     &report_);
  }
  // Of a line that is refused.
  std::string message(const std::string& line, const std::string& id = "") {
    const std::string whole = folder_.message<FormatError>([&] { read(line, "", id); });
    const std::string before = "papilio::read_text: j:";
    return whole.starts_with(before) ? whole.substr(before.size()) : whole;
  }

  Folder folder_;
  ReadReport report_;
};

TEST_F(JsonLines, ReadsTextAndId) {
  const Corpus corpus =
      read("{\"id\": 7, \"text\": \"cats dogs\"}\r\n\n \t\n{\"text\":\"dogs\",\"id\":\"b\",\"x\":[]}", "", "id");
  EXPECT_EQ(corpus, (Corpus{{0, 2, 3}, {0, 1, 1}, {"cats", "dogs"}}));
  EXPECT_EQ(corpus.document_names, (Words{"7", "b"}));
  EXPECT_EQ(report_.format, "jsonl");
  EXPECT_EQ(read("{\"a\\u0062\":\"cats\"}", "ab").vocabulary, Words{"cats"});
  EXPECT_EQ(read("{\"a\":\"same\"}", "a", "a").document_names, Words{"same"});
}

TEST_F(JsonLines, SkipsValuesOfEveryKind) {
  const std::string values =
      R"({"a":null,"b":true,"c":false,"d":-0.5e+10,"e":0,"f":[1,[2,{}],"]"],"g":{"text":"no","text":{"}":[]}},"h":"\"\\\/\b\f\n\r\t\u00e9",)"
      R"("text":"yes"})";
  EXPECT_EQ(read(values).vocabulary, Words{"yes"});
  EXPECT_EQ(read("{ \"a\" : [ 1 , 2 ] , \"text\" : \"yes\" } ").vocabulary, Words{"yes"});
}

TEST_F(JsonLines, UndoesEscapes) {
  EXPECT_EQ(
      read(R"({"text":"caf\u00e9 cafe\u0301 \u0434\u043e\u043c \ud835\udc1a\ud835\udc1b\ud835\udc1c"})").vocabulary,
      (Words{"caf\u00e9", "\u0434\u043e\u043c", "\U0001d41a\U0001d41b\U0001d41c"}));
  EXPECT_EQ(report_.invalid_utf8, 0);
  EXPECT_EQ(read(R"({"text":"one\ntwo\u0000three\/four\"five"})").vocabulary,
            (Words{"one", "two", "three/four\"five"}));
}

// Half of a pair of surrogates is not a character; neither are ill-formed bytes.
TEST_F(JsonLines, CountsWhatIsNotUnicodeAndSeparatesThere) {
  EXPECT_EQ(read("{\"text\":\"one\\ud83dtwo\\ude00three\\ud83d\\u0041bc\xff\"}").vocabulary,
            (Words{"one", "two", "three", "abc"}));
  EXPECT_EQ(report_.invalid_utf8, 4);
  EXPECT_EQ(message("{\"id\":\"\\ud83d\",\"text\":\"\"}", "id"),
            "1:7: expected UTF-8 as the id, got \"\"\\ud83d\",\"text\":\"\"}\"");
}

TEST_F(JsonLines, RefusesWhatIsNoObject) {
  EXPECT_EQ(message("\n[1]"),
            "2:1: expected a JSON object (--format json, in Python format=\"json\", reads an array), got \"[1]\"");
  EXPECT_EQ(message("\xef\xbb\xbf [\n"),
            "1:2: expected a JSON object (--format json, in Python format=\"json\", reads an array), got \"[\"");
  EXPECT_EQ(message("1"), "1:1: expected a JSON object, got \"1\"");
  EXPECT_EQ(message("{\n\"text\": \"a\"\n}"),
            "1:2: expected the whole object on this line (jq -c . FILE puts each on a line), got the end of the line");
  EXPECT_EQ(message("{\"text\":\"a\"} x"), "1:14: expected the end of the line after the object, got \"x\"");
  EXPECT_EQ(message("{\"text\":\"a\",}"), "1:13: expected a key in quotation marks, got \"}\"");
  EXPECT_EQ(message("{\"text\" \"a\"}"), "1:9: expected \":\", got \"\"a\"}\"");
  EXPECT_EQ(message("{\"text\":\"a\" \"b\":1}"), "1:13: expected \",\" or \"}\", got \"\"b\":1}\"");
  EXPECT_EQ(message("{\"text\":\"a\""), "1:12: expected \",\" or \"}\", got the end of the line");
  EXPECT_EQ(message("{\"a\":[1 2]}"), "1:9: expected \",\" or \"]\", got \"2]}\"");
  EXPECT_EQ(message("{\"a\":{1:2}}"), "1:7: expected a key in quotation marks, got \"1:2}}\"");
  EXPECT_EQ(message("{\"a\":nul}"), "1:6: expected a JSON value, got \"nul}\"");
  EXPECT_EQ(message("{\"a\":01}"), "1:7: expected \",\" or \"}\", got \"1}\"");
  EXPECT_EQ(message("{\"a\":1.}"), "1:8: expected a digit, got \"}\"");
  EXPECT_EQ(message("{\"a\":-}"), "1:7: expected a digit, got \"}\"");
  EXPECT_EQ(message("{\"a\":1e}"), "1:8: expected a digit, got \"}\"");
}

TEST_F(JsonLines, RefusesStringsThatAreNot) {
  EXPECT_EQ(message("{\"text\":\"abc"), "1:9: expected a string that ends with a quotation mark, got \"\"abc\"");
  EXPECT_EQ(message("{\"text\":\"a\tb\"}"),
            "1:11: expected no control character in a string (\\n, \\t and \\u0000 are escapes), got \"\\x09b\"}\"");
  EXPECT_EQ(message("{\"text\":\"\\x\"}"), "1:10: expected an escape of JSON, got \"\\x\"}\"");
  EXPECT_EQ(message("{\"text\":\"\\u12g4\"}"), "1:14: expected four hexadecimal digits, got \"g4\"}\"");
  EXPECT_EQ(message("{\"text\":\"\\"), "1:10: expected an escape of JSON, got \"\\\"");
}

TEST_F(JsonLines, RefusesOtherFields) {
  const std::string hint = " (--text-field NAME, in Python text_column=, names the field of the text)";
  EXPECT_EQ(message("{\"title\":\"a\",\"body\":\"b\"}"),
            "1:1: expected a field \"text\", got \"body\", \"title\"" + hint);
  EXPECT_EQ(message("{}"), "1:1: expected a field \"text\", got an object without fields" + hint);
  std::string many = "{";
  std::string names;
  for (char name = 'a'; name <= 'u'; ++name) {
    many += fmt::format("{}\"{}\":1", name == 'a' ? "" : ",", name);
    names += name == 'u' ? ", ..." : fmt::format("{}\"{}\"", name == 'a' ? "" : ", ", name);
  }
  EXPECT_EQ(message(many + "}"), "1:1: expected a field \"text\", got " + names + hint);
  EXPECT_EQ(message("{\"text\":null}"), "1:9: expected a string as \"text\", got \"null}\"");
  EXPECT_EQ(message("{\"text\":\"a\"}", "id"), "1:1: expected a field \"id\", got \"text\"");
  EXPECT_EQ(message("{\"text\":\"a\",\"id\":[]}", "id"), "1:18: expected a string or a number as \"id\", got \"[]}\"");
  EXPECT_EQ(message("{\"a\":1,\"text\":\"\",\"\\u0061\":2}"),
            "1:18: expected a key that has not occurred yet, got \"\"\\u0061\":2}\"");
}

TEST_F(JsonLines, BoundsNesting) {
  const auto nested = [](int levels) {
    return "{\"a\":" + std::string(static_cast<std::size_t>(levels), '[') +
           std::string(static_cast<std::size_t>(levels), ']') + ",\"text\":\"yes\"}";
  };
  EXPECT_EQ(read(nested(99)).vocabulary, Words{"yes"});
  EXPECT_EQ(message(nested(100)).substr(0, 49), "1:105: expected at most 100 levels of nesting, go");
  EXPECT_EQ(message(nested(1000000)).substr(0, 49), "1:105: expected at most 100 levels of nesting, go");
}

TEST_F(JsonLines, ReadsCompressedTextTheSameForAnyNumberOfThreads) {
  std::string json;
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    std::string body = "common";
    for (int j = 0; j < i % 13; ++j) body.append(" w").append(1 + (i * 5 + j) % 60, static_cast<char>('a' + j));
    json += "{\"text\":\"" + body + "\"}\n";
    text += body + "\n";
  }
  const Corpus expected = read_text({.path = folder_.write("t", text)}, {.threads = 1});
  for (const int threads : {1, 3}) {
    const std::string path = folder_.write("j.gz", gzip(json));
    EXPECT_TRUE(read_text({.path = path, .form = TextForm::json_lines}, {.threads = threads}) == expected);
  }
}

}  // namespace
}  // namespace papilio::lda
