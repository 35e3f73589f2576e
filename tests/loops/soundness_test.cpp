// Loops that look parallel: what hides in calls, initialisers, switches, conversions and pointers is seen.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "papilio/loops.h"

namespace papilio::loops {
namespace {

using enum Verdict;

LoopReport first_loop(const std::string& text) { return analyze_text(text, "f.c").loops.at(0); }

// A loop of i from 1 to n - 1 over `body`, with arrays that do not overlap.
LoopReport loop_of(const std::string& body, const std::string& before = "", const std::string& file = "") {
  return first_loop(
      file + "\nvoid f(int n, int *restrict a, const int *restrict b, double *restrict x, long l, unsigned u) {\n" +
      before + "\n  for (int i = 1; i < n; i++) {\n" + body + "\n  }\n}\n");
}

TEST(LoopsSoundness, CallsThroughPointers) {
  const std::string half = "static int half(int x) { return x / 2; }\n";
  EXPECT_EQ(first_loop("void f(int n, void (*log)(int)) { for (int i = 0; i < n; i++) log(i); }").verdict, not_proven);
  EXPECT_EQ(first_loop("struct sink { void (*add)(int); };\n"
                       "void f(int n, struct sink *exp) { for (int i = 0; i < n; i++) exp->add(i); }")
                .verdict,
            not_proven);
  EXPECT_EQ(
      first_loop("void f(int n, int *a, int (*exp[2])(int)) { for (int i = 0; i < n; i++) a[i] = exp[0](i); }").verdict,
      not_proven);
  EXPECT_EQ(first_loop(half + "void f(int n, int *a, int (*half)(int)) { for (int i = 0; i < n; i++) a[i] = half(i); }")
                .verdict,
            not_proven);
  EXPECT_EQ(first_loop(half + "void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = (half)(i); }").verdict,
            parallel);
}

TEST(LoopsSoundness, InitialisersOfPartOfAnArray) {
  EXPECT_EQ(loop_of("double t[4] = {x[i - 1], b[i]}; x[i] = t[0] + t[1];").verdict, sequential);
  EXPECT_EQ(loop_of("double t[2][4] = {{x[i - 1]}}; x[i] = t[0][0];").verdict, sequential);
  EXPECT_EQ(loop_of("int t[4] = {next(&state)}; a[i] = t[0];", "int state = 0;", "int next(int *);").verdict,
            not_proven);
  EXPECT_EQ(loop_of("double t[4] = {b[i - 1], b[i]}; x[i] = t[0] + t[1];").verdict, parallel);
}

TEST(LoopsSoundness, BreaksWithinTheStatementsOfASwitch) {
  EXPECT_EQ(loop_of("int k = 0; switch (b[i]) { case 1: if (b[i] > 0) { if (b[i] > 5) { k = 1; break; } k = 0; } }\n"
                    "a[i + k] = i;")
                .verdict,
            not_proven);
  // The value after the switch, of a loop that follows.
  EXPECT_EQ(loop_of("a[i + k] = a[i];",
                    "int k = 0; switch (n) { case 1: if (u) { if (b[0]) { k = 1; break; } else { b++; } k = 0; } }")
                .verdict,
            not_proven);
  EXPECT_EQ(loop_of("int k = 0; switch (b[i]) { case 1: { k = 1; break; } case 2: if (b[i]) break; k = 2; } a[i] = k;")
                .verdict,
            parallel);
  EXPECT_EQ(loop_of("a[i] = i;", "switch (u) { case 0: if (l) { case 1: n++; } }").verdict, not_proven);
}

TEST(LoopsSoundness, SumsOfOtherTypes) {
  EXPECT_EQ(loop_of("int k = 0; k += i * 4294967296L; a[k] = i;").verdict, not_proven);
  const LoopReport wraps = loop_of("int k = i; k += 4294967295u; a[i] = a[k] + 1;");
  EXPECT_EQ(wraps.verdict, parallel_if);
  EXPECT_FALSE(wraps.condition.empty());  // never true
  EXPECT_EQ(loop_of("int k = i; k += u; a[i] = a[k] + 1;").verdict, not_proven);
  EXPECT_EQ(loop_of("int k = i; k += n; a[i] = a[k] + 1;").verdict, parallel);
}

TEST(LoopsSoundness, Enums) {
  const auto shifted = [](const std::string& type, const std::string& k) {
    return first_loop(type + ";\nvoid f(int n, int *a, " + k + " k) {\nfor (int i = 0; i < n; i++) a[i] = a[i + k]; }");
  };
  const LoopReport as_int = shifted("", "int"), as_unsigned = shifted("", "unsigned");
  ASSERT_NE(as_int.condition, as_unsigned.condition);
  for (const std::string negative : {"NEG = -1, ZERO", "/** none */ NONE = -5", "NONE = -0x7FFFFFFF - 1, MOST = 7"})
    EXPECT_EQ(shifted("enum E { " + negative + " }", "enum E").condition, as_int.condition) << negative;
  for (const std::string natural : {"ZERO", "ZERO, /** one */ ONE", "MOST = 0xFFFFFFFFL"})
    EXPECT_EQ(shifted("enum E { " + natural + " }", "enum E").condition, as_unsigned.condition) << natural;
  EXPECT_EQ(shifted("enum E { NEG = -1 }; typedef enum E T", "T").condition, as_int.condition);
  EXPECT_EQ(shifted("enum E { NEG = -1, MOST = 0xFFFFFFFFL }", "enum E").condition, shifted("", "long").condition);
  // Not the type of a plain enum, and no type at all.
  EXPECT_EQ(shifted("enum __attribute__((packed)) E { A }", "enum E").verdict, not_proven);
  EXPECT_EQ(shifted("enum E { A }; void g(void) { enum E { NEG = -1 } x; } void h(enum E *p)", "enum E").verdict,
            not_proven);
}

TEST(LoopsSoundness, ValuesReadOnBothSidesOfAWrite) {
  using Texts = std::vector<std::string>;
  const auto conditions = [](const std::string& value, const std::string& write, const std::string& again) {
    return analyze_text(
               "struct s { int n, v; } S;\nint g[10], h;\n"
               "void f(int n, const int *idx, const struct s *s, int *p, int *restrict q, double *restrict a) {\n"
               "  int m = " +
                   value + ";\n  " + write + "\n  int k = " + again +
                   ";\n"
                   "  for (int i = 0; i < n; i++) a[i] = a[i + k - m] + 1;\n}",
               "f.c")
        .loops.back()
        .condition;
  };
  EXPECT_EQ(conditions("idx[0]", "*p = m + 1;", "idx[0]"), Texts{"idx and p do not overlap"});
  EXPECT_EQ(conditions("s->n", "*p = m + 1;", "s->n"), Texts{"p and s do not overlap"});
  EXPECT_EQ(conditions("idx[0]", "for (int j = 0; j < n; j++) p[j] = j;", "idx[0]"), Texts{"idx and p do not overlap"});
  EXPECT_EQ(conditions("idx[0]", "g[0] = m + 1;", "idx[0]"), Texts{"g and idx do not overlap"});
  EXPECT_EQ(conditions("idx[0]", "h = m + 1;", "idx[0]"), Texts{"h and idx do not overlap"});
  EXPECT_EQ(conditions("s->n", "S.n = m + 1;", "s->n"), Texts{"S and s do not overlap"});
  for (const std::string value : {"idx[0]", "s->n"}) {
    EXPECT_EQ(conditions(value, "*q = m + 1;", value), Texts());
    EXPECT_EQ(conditions(value, "*p = m + 1;", "m"), Texts());
  }
  // In the next iteration of the loop around it, the value is read again.
  const LoopReport inner = analyze_text(
                               "void f(int n, const int *idx, int *p, double *restrict a) {\n  int m = idx[0];\n"
                               "  for (int t = 0; t < n; t++) {\n    int k = idx[0];\n"
                               "    for (int i = 0; i < n; i++) a[i] = a[i + k - m] + 1;\n    *p = t;\n  }\n}",
                               "f.c")
                               .loops.at(1);
  EXPECT_EQ(inner.condition, Texts{"idx and p do not overlap"});
}

// A condition is C: isl's function of a division that rounds down is not.
TEST(LoopsSoundness, ConditionsOfDivisionsAreC) {
  const LoopReport loop =
      first_loop("void f(int n, int m, int *a) { for (int i = 0; i < n; i += 3) a[i + m] = a[i]; }");
  ASSERT_EQ(loop.verdict, parallel_if);
  ASSERT_EQ(loop.predicates.size(), 1u);
  EXPECT_EQ(loop.predicates[0].expression,
            "m >= 3 * ((m - (m % 3 + 3) % 3) / 3) + 1 || m == 0 || n + m <= 0 || m >= n");
}

// What is nested deeper than the tree is read may do anything to the variables of the function.
TEST(LoopsSoundness, WhatIsNestedTooDeep) {
  const auto verdict = [](int ifs, const std::string& innermost) {
    std::string before = "int k = 0; ";
    for (int at = 0; at < ifs; ++at) before += "if (b[0]) ";
    return loop_of("a[i + k] = a[i];", before + innermost).verdict;
  };
  EXPECT_EQ(verdict(700, "k = 1;"), not_proven);
  EXPECT_EQ(verdict(700, "{ int t = (k = 1); a[0] = t; }"), not_proven);
  EXPECT_EQ(verdict(100, "l = 1;"), parallel);
}

}  // namespace
}  // namespace papilio::loops
