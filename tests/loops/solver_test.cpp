#include "loops/dependence/solver.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "loops/dependence/search.h"
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
    EXPECT_EQ(std::string(error.what()).find("f.c: error: more than 9 seconds of processor time up to f (line 7)"), 0u);
  }
}

// Rows with a few small coefficients, of which every third is an equality, within a box.
System random_system(std::mt19937& random) {
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  System system;
  system.columns = draw(2, 6);
  for (int row = draw(1, 6); row > 0; --row) {
    Row& made = system.rows.emplace_back();
    made.constant = draw(-9, 9);
    made.is_equality = draw(0, 2) == 0;
    for (int term = draw(1, 3); term > 0; --term) made.terms.emplace_back(draw(0, system.columns - 1), draw(-5, 5));
  }
  for (int c = 0; c < system.columns; ++c) {
    system.rows.push_back({{{c, 1}}, 20, false});
    system.rows.push_back({{{c, -1}}, 20, false});
  }
  return system;
}

TEST(Search, FindsPointsWhereIslDoes) {
  std::mt19937 random(7);
  Solver solver(1'000'000);
  int points = 0, found = 0;
  for (int k = 0; k < 2000; ++k) {
    const System system = random_system(random);
    const bool has_points = solver.point(system).has_value();
    const auto point = search_point(system, nullptr);
    points += has_points ? 1 : 0;
    found += point ? 1 : 0;
    if (!point) continue;
    EXPECT_TRUE(has_points);
    EXPECT_TRUE(contains(system, *point));
  }
  EXPECT_GT(points, 600);
  EXPECT_GT(found, points * 9 / 10);
}

TEST(Search, SaysNothingOfWhatMayOverflow) {
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_TRUE(search_point({1, {{{{0, 1}}, -5, false}}}, nullptr));
  EXPECT_FALSE(search_point({1, {{{{0, huge}}, -5, false}}}, nullptr));
  EXPECT_FALSE(search_point({1, {{{{0, 1}}, -huge, false}}}, nullptr));
  EXPECT_FALSE(search_point({1, {{{{0, 1}}, -5, false}, {{{0, -1}}, 4, false}}}, nullptr));
  EXPECT_FALSE(search_point(large_system(), nullptr));
  EXPECT_FALSE(search_point({2, {{{{0, 2}, {1, 4}}, 1, true}}}, nullptr));
  const std::vector<std::int64_t> start = {8, 8};
  EXPECT_EQ(*search_point({2, {{{{0, 1}, {1, -1}}, -1, false}}}, &start), (std::vector<std::int64_t>{9, 8}));
}

TEST(Deadline, TheUsualOneIsForTextsWithLongSyntaxTrees) {
  Deadline usual("f.c", 0);
  usual.set_seconds_of_clang(10);
  usual.check(false);
  usual.set_tree(5001, 10);  // as LU's is (tests/loops/kernels/lu.c): dense, not hard
  usual.check(false);
  usual.set_tree(6499, 10);
  usual.check(false);
  usual.set_tree(6500, 10);
  EXPECT_THROW(usual.check(false), Error);
  usual.set_tree(0, 0);  // clang has written nothing yet
  EXPECT_THROW(usual.check(false), Error);
  usual.set_seconds_of_clang(1);
  usual.check(false);
}

}  // namespace
}  // namespace papilio::loops
