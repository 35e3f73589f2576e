#include "loops/dependence/solver.h"

#include <gtest/gtest.h>

#include <string>

#include "papilio/error.h"

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

TEST(Solver, EachStatementHasStepsOfItsOwn) {
  Solver solver(1'000'000, 10'000);
  for (int k = 0; k < 50; ++k) {  // until next to nothing is left that functions share
    solver.begin_function(100);
    EXPECT_EQ(solver.has_points(large_system()), Answer::unknown);
  }
  solver.begin_function(50, 1000);
  EXPECT_EQ(solver.has_points(large_system()), Answer::yes);
}

TEST(Solver, TheUsualDeadlineIsForHardTexts) {
  Deadline usual("f.c", 0), strict("f.c", 9);
  usual.set_seconds_of_clang(10);
  strict.set_seconds_of_clang(10);
  strict.begin("f (line 7)");
  System system = large_system();
  Solver solver(1'000'000, 0, &usual);
  solver.begin_function(1);
  for (int k = 0; k < 4; ++k) {  // 48 of 80 million steps
    system.rows[0].constant = k;
    EXPECT_EQ(solver.has_points(system), Answer::yes);
  }
  system.rows[0].constant = 5;
  EXPECT_THROW(solver.has_points(system), Error);
  Solver other(1'000'000, 0, &strict);
  other.begin_function(1);
  try {
    other.has_points(system);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()).find("f.c: error: it takes more than 9 seconds of the processor, up to f (line 7)"),
        0u);
  }
}

TEST(Deadline, TheUsualOneIsForTextsWithLongSyntaxTrees) {
  Deadline usual("f.c", 0);
  usual.set_seconds_of_clang(10);
  usual.check(false);
  usual.set_tree(4999, 10);
  usual.check(false);
  usual.set_tree(5000, 10);
  EXPECT_THROW(usual.check(false), Error);
  usual.set_tree(0, 0);  // clang has written nothing yet
  EXPECT_THROW(usual.check(false), Error);
  usual.set_seconds_of_clang(1);
  usual.check(false);
}

}  // namespace
}  // namespace papilio::loops
