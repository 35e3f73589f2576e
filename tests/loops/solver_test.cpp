#include "loops/dependence/solver.h"

#include <gtest/gtest.h>

namespace papilio::loops {
namespace {

// 0 <= x_k for the first 12 of 1,000 columns: 12 million steps, more than an eighth of those of a text.
System large_system() {
  System system;
  system.columns = 1000;
  for (int k = 0; k < 12; ++k) system.rows.push_back({{{k, 1}}, 0, false});
  return system;
}

TEST(Solver, AHardFunctionLeavesTimeForTheNext) {
  Solver solver(1'000'000);
  solver.begin_function(100);
  EXPECT_EQ(solver.has_points(large_system()), Answer::unknown);
  EXPECT_TRUE(solver.is_spent());
  solver.begin_function(1);
  EXPECT_FALSE(solver.is_spent());
  EXPECT_EQ(solver.has_points(large_system()), Answer::yes);  // that it was refused once is not remembered
}

TEST(Solver, FunctionsTogetherHaveTheTimeOfAText) {
  Solver solver(1'000'000);
  solver.begin_function(1);
  System system = large_system();
  int answered = 0;
  for (; answered < 20; ++answered) {
    system.rows[0].constant = answered;  // not asked before
    if (solver.has_points(system) == Answer::unknown) break;
  }
  EXPECT_EQ(answered, 6);  // 72 of 80 million steps
  solver.begin_function(1);
  system.rows[0].constant = 21;
  EXPECT_EQ(solver.has_points(system), Answer::unknown);
  EXPECT_TRUE(solver.is_spent());
}

}  // namespace
}  // namespace papilio::loops
