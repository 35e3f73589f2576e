// Loops whose condition is not a comparison with a bound.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "papilio/loops.h"

namespace papilio::loops {
namespace {

// What the condition of a loop reads is read, whether the loop can be counted or not, and from its first iteration on.
TEST(LoopsContract, ConditionsThatAreNotFollowed) {
  std::string text;
  std::vector<Verdict> expected;
  const auto add = [&](const std::string& head, const std::string& element, Verdict verdict) {
    text += "void f" + std::to_string(expected.size()) + "(int n, int *restrict a, const int *restrict b) {\n" +
            "  for (int i = 2; i < n; i++) {\n    int s = 0, j = 0;\n    " + head + " s++, j++;\n    a[" + element +
            "] = s;\n  }\n}\n";
    expected.push_back(verdict);
  };
  for (const std::string condition :
       {"a[j]", "!a[j]", "b[j] || a[j]", "b[j] && a[j]", "a[j] > 5", "(a[j] ? j : n) < n"}) {
    for (const std::string& head : {"for (j = 0; " + condition + "; j += 2)", "while (" + condition + ")"}) {
      add(head, "i", Verdict::not_proven);
      add(head, "i - n", Verdict::parallel);
    }
  }
  add("while (b[j])", "i", Verdict::parallel);
  const Report report = analyze_text(text, "f.c");
  std::size_t outer = 0;
  for (const LoopReport& loop : report.loops) {
    if (loop.parent >= 0) continue;
    EXPECT_EQ(loop.verdict, expected.at(outer)) << loop.function << ": " << loop.reason;
    ++outer;
  }
  EXPECT_EQ(outer, expected.size());
}

TEST(LoopsContract, PlacesWithinParentheses) {
  const Report report =
      analyze_text("void f(int n, int *a) {\n  for (int i = 0; i < n; i++)\n    if ((a[i + 1])) a[i] = 1;\n}\n", "f.c");
  const auto& clauses = report.loops.at(0).clauses;
  ASSERT_EQ(clauses.size(), 1u);
  EXPECT_EQ(clauses[0].kind, "copy");
  ASSERT_EQ(clauses[0].places.size(), 1u);
  EXPECT_EQ(clauses[0].places[0].line, 3);
  EXPECT_EQ(clauses[0].places[0].column, 10);
}

}  // namespace
}  // namespace papilio::loops
