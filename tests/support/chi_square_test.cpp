#include "support/chi_square.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace papilio::testing {
namespace {

// Q(1/2, x) = erfc(sqrt(x)) and, for whole a, Q(a, x) = exp(-x) sum_{j < a} x^j / j!.
TEST(UpperIncompleteGamma, AgreesWithErfc) {
  for (const double x : {1e-6, 0.01, 0.5, 1.0, 1.49, 1.51, 2.0, 5.0, 20.0, 200.0}) {
    const double expected = std::erfc(std::sqrt(x));
    EXPECT_NEAR(upper_incomplete_gamma(0.5, x), expected, 1e-13 + 1e-12 * expected) << x;
  }
}

TEST(UpperIncompleteGamma, AgreesWithThePoissonSum) {
  for (const int a : {1, 2, 5, 30, 100}) {
    for (const double x : {0.1, 1.0, 4.0, 29.0, 31.5, 99.0, 102.0, 300.0}) {
      double expected = 0;
      double term = std::exp(-x);
      for (int j = 0; j < a; ++j) {
        expected += term;
        term *= x / (j + 1);
      }
      EXPECT_NEAR(upper_incomplete_gamma(a, x), expected, 1e-13 + 1e-11 * expected) << a << " " << x;
    }
  }
}

// At its mean the gamma distribution leaves 1/2 - 1 / (3 sqrt(2 pi a)) + O(a^-3/2) above.
TEST(UpperIncompleteGamma, ConvergesForMillionsOfDegreesOfFreedom) {
  const double a = 1e6;
  EXPECT_NEAR(upper_incomplete_gamma(a, a), 0.5 - 1 / (3 * std::sqrt(2 * std::acos(-1.0) * a)), 1e-8);
  EXPECT_GT(upper_incomplete_gamma(a, a - 5000), 0.999999);
  EXPECT_LT(upper_incomplete_gamma(a, a + 5000), 1e-6);
}

TEST(UpperIncompleteGamma, HasItsLimits) {
  EXPECT_EQ(upper_incomplete_gamma(3, 0), 1);
  EXPECT_EQ(upper_incomplete_gamma(3, INFINITY), 0);
  EXPECT_THROW(upper_incomplete_gamma(0, 1), std::invalid_argument);
  EXPECT_THROW(upper_incomplete_gamma(1, -1), std::invalid_argument);
  EXPECT_THROW(upper_incomplete_gamma(1, NAN), std::invalid_argument);
}

// The usual tables: 95 % and 99.9 % points of the chi-square distribution.
TEST(ChiSquare, HasTheTabulatedPoints) {
  EXPECT_NEAR(upper_incomplete_gamma(0.5, 3.841458820694124 / 2), 0.05, 1e-12);
  EXPECT_NEAR(upper_incomplete_gamma(5.0, 18.307038053275146 / 2), 0.05, 1e-12);
  EXPECT_NEAR(upper_incomplete_gamma(50.0, 149.4492527679026 / 2), 0.001, 1e-6);
}

TEST(ChiSquare, SumsOverPossibleCells) {
  EXPECT_DOUBLE_EQ(chi_square_statistic({44, 0, 56}, {50, 0, 50}), 1.44);
  EXPECT_NEAR(chi_square_p_value({44, 0, 56}, {50, 0, 50}), std::erfc(std::sqrt(0.72)), 1e-13);
  EXPECT_EQ(chi_square_p_value({50, 50}, {50, 50}), 1);
}

TEST(ChiSquare, AnImpossibleCellThatOccursIsRejected) { EXPECT_EQ(chi_square_p_value({49, 1, 50}, {50, 0, 50}), 0); }

TEST(ChiSquare, RefusesTestsWithoutMeaning) {
  EXPECT_THROW(chi_square_p_value({50, 50}, {50, 50, 0}), std::invalid_argument);
  EXPECT_THROW(chi_square_p_value({50, 51}, {50, 50}), std::invalid_argument);
  EXPECT_THROW(chi_square_p_value({96, 4}, {96, 4}), std::invalid_argument);
  EXPECT_THROW(chi_square_p_value({100}, {100}), std::invalid_argument);
  EXPECT_THROW(chi_square_p_value({100, NAN}, {100, 100}), std::invalid_argument);
  EXPECT_THROW(chi_square_p_value({110, 100}, {110, -100}), std::invalid_argument);
}

}  // namespace
}  // namespace papilio::testing
