// Which faults of written programs --check sees.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "papilio/loops.h"

namespace papilio::loops {
namespace {

#if !defined(__SANITIZE_ADDRESS__)
// What a program must not change is seen wherever it lies: {parameters, loop, what is said if `+ (i == 6)` is added in
// the written program}. All are functions of one text, which is compiled once.
TEST(LoopsContract, CheckOfStructsAndTables) {
  const std::vector<std::array<std::string, 3>> all = {
      {"int n, struct point *a", "i < n; i++) a[i].w[1][2] = i", "a[6].w[5] is"},
      {"int n, struct point (*restrict a)[2]", "i < n; i++) a[i][1].x = i", "a[13].x[0] is"},
      {"int n", "i < n && i < 50; i++) points[i].x = i", "points[6].x[0] is"},
      {"const grid g, float *a", "i < g.n; i++) a[i] = g.h", "a[6] is"},
      {"struct steps *g", "i < g->n; i++) g->h[i] = i", "g[0].h[6] is"},
      {"int *a, const struct size *g", "i < g->n; i++) a[i] = i", "a[6] is"},
      {"int n, double **rows", "i < n; i++) rows[i][2] = i", "rows[6][2] is"},
      {"int n, double *const *rows", "i < n; i++) rows[2][i] = i", "rows[2][6] is"},
      {"int n, int **rows, int **more", "i < n; i++) rows[i] = more[0] - more[0] + rows[i]", "rows[6] is"},
      {"int n, struct point *rows[]", "i < n; i++) rows[i]->x = i", "rows[6][0].x[0] is"},
      {"const struct csr *m", "i < m->n; i++) m->val[i] = m->row[i]", "m->val[6] is"},
      {"struct csr m", "i < m.n; i++) m.val[m.n - i] = i", "m.val[1] is"},
      {"struct csr *restrict m", "i < m->n; i++) m->row = m->row + 1", "m->row is moved by 7"},
      {"int n, const struct csr *m", "i < n; i++) m[i].val[2] = i", "m[6].val[2] is"},
      {"int n, struct csr *m", "i < n; i++) m[i].row = m[i].row + 1", "m[6].row is moved by 1"},
  };
  Emission same{
      "struct point { double x; int w[2][3]; };\nstruct point points[50];\n"
      "typedef struct { int n; float h; } grid;\n"
      "struct steps { int n; float h[300]; };\nstruct size { int n; };\n"
      "struct csr { int n; const int *row; double *restrict val; };\n",
      {}};
  Emission wrong = same;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto& [parameters, loop, said] = all[k];
    const std::string f = "f" + std::to_string(k),
                      before = "void " + f + "(" + parameters + ") { for (int i = 0; " + loop;
    same.text += before + "; }\n";
    wrong.text += before + " + (i == 6); }\n";
    same.loops.push_back({f, {6 + static_cast<int>(k), 26}, "i", true, false, ""});
  }
  wrong.loops = same.loops;
  const CheckReport good = check_emission(same.text, same, "f.c"), bad = check_emission(same.text, wrong, "f.c");
  ASSERT_EQ(good.functions.size(), all.size());
  ASSERT_EQ(bad.functions.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto& [parameters, loop, said] = all[k];
    EXPECT_EQ(good.functions[k].status, CheckStatus::same) << loop << ": " << good.functions[k].detail;
    EXPECT_GE(good.functions[k].cases, 8) << loop;
    EXPECT_EQ(bad.functions[k].status, CheckStatus::different) << loop;
    EXPECT_NE(bad.functions[k].detail.find(said), std::string::npos) << loop << ": " << bad.functions[k].detail;
  }
  // Rows may be the same, unless a pointer says that they are not.
  const std::string rows = "void f(int n, int *restrict *rows) { for (int i = 1; i < n; i++) rows[i][0] = i; }";
  const std::string once = "void f(int n, int **rows) { for (int i = n - 1; i > 0; i--) rows[i][0] = i; }";
  const std::vector<EmittedLoop> loops = {{"f", {1, 26}, "i", true, false, ""}};
  EXPECT_EQ(check_emission(rows, Emission{once, loops}, "f.c").functions.at(0).status, CheckStatus::same);
  const std::string many = "void f(int n, int **rows) { for (int i = 1; i < n; i++) rows[i][0] = i; }";
  EXPECT_EQ(check_emission(many, Emission{once, loops}, "f.c").functions.at(0).status, CheckStatus::different);
  // So may pointers in structs.
  for (const std::string qualifier : {"", "restrict"}) {
    const std::string head =
        "struct s { int n, *" + qualifier + " a, *" + qualifier + " b; };\nvoid f(const struct s *p) { for (int i = ";
    const std::string up = head + "1; i < p->n; i++) p->b[i] = p->a[i - 1]; }";
    const std::string down = head + "p->n - 1; i > 0; i--) p->b[i] = p->a[i - 1]; }";
    const CheckStatus wanted = qualifier.empty() ? CheckStatus::different : CheckStatus::same;
    EXPECT_EQ(check_emission(up, Emission{down, loops}, "f.c").functions.at(0).status, wanted) << qualifier;
  }
  for (const auto& [type, said] : {std::pair("struct s { int x; int **q; }", "its member q"),
                                   {"struct s { int (*q)[3]; }", "its member q"},
                                   {"struct s { int x : 3; }", "in bits"},
                                   {"struct s", "not defined"},
                                   {"struct s { int n; struct s *next; }", "its member next"},
                                   {"struct s { int n; double x[]; }", "its member x"},
                                   {"struct s { union { int a; float b; } u; }", "its member u"}}) {
    const std::string text =
        std::string(type) + ";\nvoid f(int n, int *a, struct s *s) { for (int i = 0; i < n; i++) a[i] = i; }";
    const CheckReport none = check_emission(text, Emission{text, loops}, "f.c");
    ASSERT_EQ(none.functions.size(), 1u);
    EXPECT_EQ(none.functions[0].status, CheckStatus::not_checked) << type;
    EXPECT_NE(none.functions[0].detail.find(said), std::string::npos) << none.functions[0].detail;
  }
}
#endif

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
