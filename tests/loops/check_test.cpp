#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "papilio/loops.h"

namespace papilio::loops {
namespace {

#if !defined(__SANITIZE_ADDRESS__)
// A read of which nobody needs the value is not in the optimised original, but is in a program that keeps the value.
TEST(LoopsContract, CheckSeesFaultsThatOptimisedProgramsDoNotHave) {
  const auto program = [](const std::string& before, const std::string& at) {
    return "int f(int n, int *a) { " + before + "int t = 0; for (int i = 0; i < n; i++) t = " + at + "; return n; }";
  };
  const std::string far = "a[i + 99999999]", near = "a[i + 9]";
  const auto kept = [](const std::string& element) { return "*(volatile int *)&" + element; };
  const std::vector<EmittedLoop> loops = {{"f", {1, 40}, "i", true, false, ""}};
  const auto check = [&](const std::string& original, const std::string& written) {
    return check_emission(original, Emission{written, loops}, "f.c").functions.at(0);
  };
  const CheckedFunction hidden = check(program("", far), program("", kept(far)));
  EXPECT_EQ(hidden.status, CheckStatus::same) << hidden.detail;
  EXPECT_GT(hidden.cases, 0);  // without iterations
  EXPECT_LT(hidden.cases, 6);
  const CheckedFunction never = check(program("n += 9;", far), program("n += 9;", kept(far)));
  EXPECT_EQ(never.status, CheckStatus::not_checked) << never.detail;
  // A read that only the written program has is its own fault.
  const CheckedFunction wrong = check(program("", near), program("", kept(far)));
  EXPECT_EQ(wrong.status, CheckStatus::different);
  EXPECT_EQ(check(program("", near), program("", kept(near))).cases, 10);
}
#endif

}  // namespace
}  // namespace papilio::loops
