// What the analyser of loops refuses, and what it says of hostile text.

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <string>

#include "papilio/error.h"
#include "papilio/loops.h"

namespace papilio::loops {
namespace {

const char* const plain = "void f(int n, int *a) {\n  for (int i = 0; i < n; i++) a[i] = i;\n}\n";

TEST(LoopsContract, Results) {
  const Report report = analyze_text(plain, "f.c");
  ASSERT_EQ(report.loops.size(), 1u);
  const LoopReport& loop = report.loops[0];
  EXPECT_EQ(loop.verdict, Verdict::parallel);
  EXPECT_EQ(loop.position.line, 2);
  EXPECT_EQ(loop.position.column, 3);
  EXPECT_EQ(loop.variable, "i");
  EXPECT_EQ(loop.parent, -1);
  EXPECT_TRUE(loop.clauses.empty() && loop.condition.empty() && !loop.witness);
  EXPECT_NE(to_json(report).find("\"verdict\": \"parallel\""), std::string::npos);
  EXPECT_NE(to_text(report).find("line 2, loop of i: parallel"), std::string::npos);
  EXPECT_EQ(to_text(Report{}), "no loops\n");
  EXPECT_EQ(to_json(Report{}), "{\n  \"loops\": []\n}\n");
}

TEST(LoopsContract, HandMadeReports) {
  Report report;
  LoopReport loop;
  loop.verdict = static_cast<Verdict>(99);
  loop.function = "\xff";  // no UTF-8
  loop.clauses = {Clause{"private", "x", ""}};
  loop.witness = Witness{"a[1]", "flow", Position{1, 2}, Position{3, 4}, {"i = 1"}, {"i = 2"}, {}};
  loop.matrix = {Dependence{"a", "flow", {}, {}, "<", {std::nullopt}, true}};
  loop.transformations = {Transformation{"interchange", ""}};
  report.loops = {loop};
  EXPECT_EQ(name(loop.verdict), "unknown");
  EXPECT_NE(to_json(report).find("\"unknown\""), std::string::npos);
  EXPECT_NE(to_text(report, true).find("private(x)"), std::string::npos);
}

TEST(LoopsContract, Options) {
  const auto with = [](auto change) {
    Options options;
    change(options);
    return analyze_text(plain, "f.c", options);
  };
  EXPECT_THROW(with([](Options& o) { o.seconds = 0; }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.seconds = std::numeric_limits<double>::quiet_NaN(); }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.operations = 0; }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.clang = ""; }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.clang = "/no/such/program"; }), IoError);
  EXPECT_THROW(with([](Options& o) { o.function = "g"; }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.arguments = {std::string(1, '\0')}; }), InvalidArgument);
  EXPECT_EQ(with([](Options& o) { o.function = "f"; }).loops.size(), 1u);
  // Too few operations: nothing is proven, and nothing fails.
  EXPECT_EQ(with([](Options& o) { o.operations = 1; }).loops[0].verdict, Verdict::not_proven);
}

TEST(LoopsContract, Texts) {
  EXPECT_THROW(analyze_text(std::string_view("int x;\0", 7), "f.c"), InvalidArgument);
  EXPECT_TRUE(analyze_text("", "f.c").loops.empty());
  try {
    analyze_text("void f(void) {\n  x = 1;\n}\n", "f.c");
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_EQ(error.line, 2);
    EXPECT_EQ(error.column, 3);
    EXPECT_TRUE(std::string(error.what()).starts_with("f.c:2:3: error: ")) << error.what();
  }
  EXPECT_THROW(analyze_file("/no/such/file.c"), IoError);
  EXPECT_THROW(analyze_file("/"), IoError);
}

TEST(LoopsContract, HostileTexts) {
  std::string deep = "void f(int n, int *a) {\n";
  for (int k = 0; k < 300; ++k) deep += "{";
  EXPECT_THROW(analyze_text(deep, "f.c"), FormatError);
  std::string sum = "void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = 0";
  for (int k = 0; k < 300; ++k) sum += " + a[i]";
  EXPECT_EQ(analyze_text(sum + "; }", "f.c").loops[0].verdict, Verdict::parallel);
  std::string parentheses = "void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = ";
  parentheses += std::string(200, '(') + "i" + std::string(200, ')') + "; }";
  EXPECT_EQ(analyze_text(parentheses, "f.c").loops.size(), 1u);
  const char* huge =
      "void f(int n, int *a) { for (long i = 0; i < 9223372036854775807; i += 1)"
      " a[i * 9223372036854775807] = 1; }";
  EXPECT_EQ(analyze_text(huge, "f.c").loops[0].verdict, Verdict::not_proven);
  const char* self = "void f(int n, int *a) { for (int i = 0; i < n; i++) { f(n - 1, a); a[i] = 1; } }";
  EXPECT_EQ(analyze_text(self, "f.c").loops[0].verdict, Verdict::not_proven);
}

}  // namespace
}  // namespace papilio::loops
