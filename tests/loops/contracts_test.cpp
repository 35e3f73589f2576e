// What the analyser of loops refuses, and what it says of hostile text.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

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
  EXPECT_EQ(to_json(Report{}), "{\n  \"loops\": [],\n  \"claims\": [],\n  \"summaries\": []\n}\n");
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

TEST(LoopsContract, IsParallel) {
  const auto all = {Verdict::parallel,    Verdict::parallel_with_clauses,
                    Verdict::parallel_if, Verdict::scan,
                    Verdict::sequential,  Verdict::not_proven};
  std::vector<Verdict> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), is_parallel);
  EXPECT_EQ(found, (std::vector{Verdict::parallel, Verdict::parallel_with_clauses, Verdict::parallel_if}));
  EXPECT_FALSE(is_parallel(static_cast<Verdict>(99)));
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
  EXPECT_THROW(with([](Options& o) { o.deadline = -1; }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.deadline = std::numeric_limits<double>::infinity(); }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.deadline = 1e-6; }), Error);
  EXPECT_THROW(with([](Options& o) { o.clang = ""; }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.clang = "/no/such/program"; }), IoError);
  EXPECT_THROW(with([](Options& o) { o.function = "g"; }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.arguments = {std::string(1, '\0')}; }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.transform = "fuse"; }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.tile = 0; }), InvalidArgument);
  EXPECT_THROW(with([](Options& o) { o.tile = (std::int64_t{1} << 30) + 1; }), InvalidArgument);
  EXPECT_EQ(with([](Options& o) { o.function = "f"; }).loops.size(), 1u);
  // Too few operations: what takes isl is not proven, and nothing fails.
  const char* const hard = "void f(int n, int *a) {\n  for (int i = 0; i < n; i++) a[i + n] = a[i];\n}\n";
  EXPECT_EQ(analyze_text(hard, "f.c").loops[0].verdict, Verdict::parallel);
  Options few;
  few.operations = 1;
  EXPECT_EQ(analyze_text(hard, "f.c", few).loops[0].verdict, Verdict::not_proven);
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

// The sets of the routines geteu and matmul, and what the loop that calls them makes of them.
TEST(LoopsContract, Summaries) {
  const std::string routines =
      "static void geteu(int sym, int np, double *restrict xe, const double *restrict u) {\n"
      "  if (sym != 1)\n"
      "    for (int i = 1; i <= np; i++)\n"
      "      for (int j = 1; j <= 16; j++) xe[16 * (i - 1) + j - 1] = u[16 * (i - 1) + j - 1];\n}\n"
      "static void matmul(int ns, double *restrict xe) {\n"
      "  for (int j = 1; j <= ns; j++) xe[j - 1] = xe[j - 1] / 2;\n}\n";
  const Report report =
      analyze_text(routines +
                       "void target(int n, int sym, int np, int ns, const int *restrict ia, double *restrict xe,\n"
                       "            const double *restrict u) {\n"
                       "  for (int i = 0; i < n; i++) { geteu(sym, np, &xe[ia[i]], u); matmul(ns, &xe[ia[i]]); }\n}\n",
                   "f.c");
  ASSERT_EQ(report.summaries.size(), 3u);
  const Summary &u = report.summaries[1], &xe = report.summaries[0], &product = report.summaries[2];
  EXPECT_EQ(xe.function, "geteu");
  EXPECT_EQ(xe.variable, "xe");
  EXPECT_EQ(xe.write_first, "[sym, np] -> { [i0] : 0 <= i0 < 16np and (sym >= 2 or sym <= 0) }");
  EXPECT_EQ(xe.read_only + xe.read_write, "");
  EXPECT_EQ(u.variable, "u");
  EXPECT_EQ(u.read_only, xe.write_first);
  EXPECT_EQ(product.read_write, "[ns] -> { [i0] : 0 <= i0 < ns }");
  EXPECT_EQ(product.read_only + product.write_first, "");
  EXPECT_TRUE(xe.is_exact && product.is_exact);
  const LoopReport& loop = report.loops.back();
  ASSERT_EQ(loop.verdict, Verdict::parallel_if);
  ASSERT_EQ(loop.predicates.size(), 1u);
  EXPECT_EQ(loop.predicates[0].kind, "separated");
  EXPECT_FALSE(loop.predicates[0].is_constant_time);
  ASSERT_FALSE(loop.transformations.empty());
  EXPECT_EQ(loop.transformations[0].kind, "privatize");
  EXPECT_EQ(loop.transformations[0].condition[0].expression, "16 * np >= ns && sym != 1");
}

// What a program that writes the loops reads.
TEST(LoopsContract, Details) {
  const Report report = analyze_text(
      "void f(int n, double *restrict a, double *restrict b) {\n"
      "  double t;\n"
      "  for (int i = 2; i < n; i++) {\n"
      "    t = 2 * b[i - 2];\n"
      "    a[i] = t;\n"
      "    b[i] = t + b[i - 1];\n"
      "  }\n"
      "  for (int i = 0; i < n; i++)\n"
      "    a[i] = a[i + 1];\n}\n",
      "f.c");
  ASSERT_EQ(report.loops.size(), 2u);
  const Transformation& t = report.loops[0].transformations.at(0);
  EXPECT_EQ(t.kind, "distribute");
  EXPECT_EQ(t.variables, std::vector<std::string>{"t"});
  ASSERT_EQ(t.pieces.size(), 2u);
  ASSERT_EQ(t.pieces[0].statements.size(), 2u);
  EXPECT_EQ(t.pieces[0].statements[1].line, 6);
  EXPECT_EQ(t.pieces[0].verdicts, std::vector<Verdict>{Verdict::scan});
  ASSERT_EQ(t.pieces[0].clauses.size(), 1u);
  EXPECT_EQ(t.pieces[0].clauses[0].detail, "linear, 2 x 2");
  ASSERT_EQ(t.pieces[0].clauses[0].places.size(), 1u);
  EXPECT_EQ(t.pieces[0].clauses[0].places[0].line, 6);
  EXPECT_EQ(t.pieces[1].verdicts, std::vector<Verdict>{Verdict::parallel});
  const Clause& copy = report.loops[1].clauses.at(0);
  EXPECT_EQ(copy.kind, "copy");
  ASSERT_EQ(copy.places.size(), 1u);
  EXPECT_EQ(copy.places[0].line, 9);
  EXPECT_EQ(copy.places[0].column, 12);
  const Section section = Section{"a", true, {"0"}, {"n"}};
  EXPECT_TRUE(section.is_write);
  const Piece empty;
  const Predicate none;
  EXPECT_TRUE(empty.clauses.empty() && none.is_constant_time);
}

// A loop that may have no iteration makes nothing grow: b[k] may be the same element in two iterations.
TEST(LoopsContract, LoopsWithoutIterations) {
  const Report report = analyze_text(
      "void f(int n, int k, int *restrict b, const int *restrict o) {\n  for (int i = 0; i < n; i++) {\n"
      "    for (int j = o[i]; j < o[i + 1]; j++) k += 1;\n    b[k] ^= i;\n  }\n}\n",
      "f.c");
  const auto& clauses = report.loops[0].clauses;
  EXPECT_TRUE(std::any_of(clauses.begin(), clauses.end(), [](const Clause& c) { return c.variable == "b"; }));
}

// Other fields of the struct may change.
TEST(LoopsContract, LoopsCountedByAField) {
  const Report report = analyze_text(
      "void f(int n, int *a) {\n  struct { int i, j; } s;\n"
      "  for (s.i = 0; s.i < n; s.i++) {\n    s.j = s.i + 1;\n    a[s.i] = s.j;\n  }\n}\n",
      "f.c");
  EXPECT_EQ(report.loops[0].verdict, Verdict::parallel_with_clauses) << report.loops[0].reason;
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

TEST(LoopsContract, Emission) {
  const Emission emission = emit_openmp(plain, "f.c");
  ASSERT_EQ(emission.loops.size(), 1u);
  const EmittedLoop& emitted = emission.loops[0];
  EXPECT_TRUE(emitted.is_changed);
  EXPECT_NE(emission.text.find("  #pragma omp parallel for\n  for (int i = 0"), std::string::npos) << emission.text;
  EXPECT_EQ(emit_openmp(plain, "f.c").text, emission.text);
  EXPECT_EQ(emit_openmp("", "f.c").text, "");
  EXPECT_THROW(emit_openmp("void f(", "f.c"), FormatError);
  EXPECT_THROW(emit_openmp(std::string_view("int x;\0", 7), "f.c"), InvalidArgument);
  // What cannot be edited stays, and says why.
  for (const char* text :
       {"#define LOOP for (int i = 0; i < n; i++)\nvoid f(int n, int *a) { LOOP a[i] = i; }",
        "void f(int n, int *a) { for (int i = 0; i < n; i++) {\n#if 1\na[i] = i;\n#endif\n} }",
        "void f(int n, int *a) {\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] = i; }"}) {
    const Emission same = emit_openmp(text, "f.c");
    EXPECT_EQ(same.text, text);
    ASSERT_EQ(same.loops.size(), 1u);
    EXPECT_FALSE(same.loops[0].is_changed || same.loops[0].what.empty());
  }
}

TEST(LoopsContract, Check) {
  EXPECT_EQ(name(CheckStatus::same), "same");
  EXPECT_EQ(name(static_cast<CheckStatus>(99)), "unknown");
  const Emission emission = emit_openmp(plain, "f.c");
  const auto with = [&](auto change) {
    CheckOptions options;
    change(options);
    return check_emission(plain, emission, "f.c", {}, options);
  };
  EXPECT_THROW(with([](CheckOptions& o) { o.seconds = 0; }), InvalidArgument);
  EXPECT_THROW(with([](CheckOptions& o) { o.seconds = std::numeric_limits<double>::infinity(); }), InvalidArgument);
  EXPECT_THROW(with([](CheckOptions& o) { o.compiler = ""; }), InvalidArgument);
  EXPECT_THROW(with([](CheckOptions& o) { o.compiler = "/no/such/program"; }), IoError);
  EXPECT_THROW(with([](CheckOptions& o) { o.folder = "/no/such/folder"; }), IoError);
  EXPECT_TRUE(check_emission(plain, Emission{plain, {}}, "f.c").functions.empty());
#if !defined(__SANITIZE_ADDRESS__)
  const CheckReport good = check_emission(plain, emission, "f.c");
  ASSERT_EQ(good.functions.size(), 1u);
  const CheckedFunction& checked = good.functions[0];
  EXPECT_EQ(checked.status, CheckStatus::same) << checked.detail;
  // A program that does something else, one that does not end, one that is not a program.
  const std::string start = "void f(int n, int *a) { for (int i = 0; i < n; i++) ";
  for (const char* body : {"a[i] = i + (i == 6); }", "a[i] = i; while (n > 5) n++; }", "}"}) {
    Emission wrong = emission;
    wrong.text = start + body;
    CheckOptions options;
    options.seconds = 1;
    const CheckReport report = check_emission(plain, wrong, "f.c", {}, options);
    ASSERT_EQ(report.functions.size(), 1u);
    EXPECT_EQ(report.functions[0].status, CheckStatus::different) << body;
    EXPECT_FALSE(report.functions[0].detail.empty());
  }
  // It does not end with more than one thread and one set of arguments: it waits, or computes. What starts threads
  // without end is only slow, as far as can be seen.
  const auto with_threads = [&](const std::string& what) {
    Emission wrong = emission;
    wrong.text = "int omp_get_max_threads(void); int pause(void); volatile int v;\n" + start +
                 "a[i] = i; if (n == 33 && omp_get_max_threads() > 1) for (;;) " + what + " }";
    CheckOptions options;
    options.seconds = 1;
    return check_emission(plain, wrong, "f.c", {}, options).functions.at(0);
  };
  for (const auto& [what, why] : {std::pair("pause();", "waits for ever"), std::pair("v++;", "does not end")}) {
    const CheckedFunction hanging = with_threads(what);
    EXPECT_EQ(hanging.status, CheckStatus::different) << what;
    EXPECT_NE(hanging.detail.find(why), std::string::npos) << hanging.detail;
    EXPECT_NE(hanging.detail.find("2 threads"), std::string::npos) << hanging.detail;
  }
  const CheckedFunction slow = with_threads("{\n#pragma omp parallel\nv = 1; }");
  EXPECT_EQ(slow.status, CheckStatus::same) << slow.detail;
  EXPECT_EQ(slow.cases, checked.cases - 1);
  EXPECT_NE(slow.detail.find("1 left out"), std::string::npos) << slow.detail;
  const char* pointers = "void f(int n, int ***a) { for (int i = 0; i < n; i++) a[0][0][i] = i; }";
  const CheckReport none = check_emission(pointers, Emission{pointers, {{"f", {1, 26}, "i", true, false, ""}}}, "f.c");
  ASSERT_EQ(none.functions.size(), 1u);
  EXPECT_EQ(none.functions[0].status, CheckStatus::not_checked);
  EXPECT_NE(none.functions[0].detail.find("int ***"), std::string::npos);
#endif
}

TEST(LoopsContract, Claims) {
  EXPECT_EQ(name(ClaimStatus::racy), "racy");
  EXPECT_EQ(name(static_cast<ClaimStatus>(99)), "unknown");
  const char* racy =
      "void f(int n, int *a) {\n#pragma omp parallel for\n  for (int i = 1; i < n; i++) a[i] = a[i - 1];\n}\n";
  const Report report = analyze_text(racy, "f.c");
  ASSERT_EQ(report.claims.size(), 1u);
  const Claim& claim = report.claims[0];
  EXPECT_EQ(claim.status, ClaimStatus::racy);
  EXPECT_EQ(report.claims[0].position.line, 2);
  EXPECT_EQ(report.claims[0].loop, 0);
  ASSERT_TRUE(report.claims[0].witness.has_value());
  EXPECT_EQ(report.claims[0].witness->source.line, 3);
  for (const char* odd :
       {"#pragma omp parallel for", "#pragma omp parallel for private(\nint x;", "#pragma omp for\nint x;"}) {
    EXPECT_EQ(analyze_text(odd, "f.c").claims.size(), std::string(odd).find("private(") == std::string::npos ? 1u : 0u);
  }
}

TEST(LoopsContract, Pages) {
  const Report report = analyze_text(plain, "f.c");
  EXPECT_NE(to_sarif(report, "a b.c").find("\"a%20b.c\""), std::string::npos);
  EXPECT_NE(to_sarif(Report{}, "").find("\"results\": []"), std::string::npos);
  EXPECT_TRUE(to_html(report, plain, "<f>.c").starts_with("<!DOCTYPE html>"));
  EXPECT_NE(to_html(report, plain, "<f>.c").find("&lt;f&gt;.c"), std::string::npos);
  EXPECT_EQ(to_html(report, plain, "f.c"), to_html(report, plain, "f.c"));
  // A report of another text, and text that is no UTF-8.
  EXPECT_NE(to_html(report, "\xff\n", "f.c").find("\xef\xbf\xbd"), std::string::npos);
  EXPECT_NE(to_text(report, false, true).find("\x1b[32mparallel\x1b[0m"), std::string::npos);
}

}  // namespace
}  // namespace papilio::loops
