// Draws from sums that are known up to an error: where they leave one category alone, it is the law's, however the
// error is made up.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "sampling/tokens/random_rows.h"
#include "sampling/tokens/token_interval.h"
#include "warp/scalar_warp.h"

namespace papilio {
namespace {

namespace kernel = sampling_kernel;
using One = warp::ScalarWarp<1>;

constexpr int additions = 18;
constexpr std::size_t segment_size = 64;
constexpr int log2_group = 4;  // terms of a group whose exponents are bounded by its sum

// How the terms of a rough sum are wrong.
enum class Errors { as_computed, before_the_target, after_the_target, random };

// Where the bound of the error has the exponents of the terms from: the sum of many terms, or those of groups of them.
enum class Exponents { of_sum, of_groups };

// A row, its exact weights, and draws from rough sums.
class RoughRow {
 public:
  RoughRow(std::vector<float> logits, float temperature) : logits_(std::move(logits)) {
    const auto categories = static_cast<std::int64_t>(logits_.size());
    const float largest = *std::max_element(logits_.begin(), logits_.end());
    scale_ = kernel::token_scale(largest, temperature, kernel::token_unit_bits(categories));
    for (const float x : logits_) {
      weights_.push_back(kernel::token_weights<One>(One::load(&x), scale_).at[0]);
      total_ += weights_.back();
    }
  }

  std::size_t size() const { return logits_.size(); }
  bool has_tops() const { return kernel::has_tops(scale_.largest, scale_.high); }
  std::uint64_t weight(std::size_t category) const { return weights_[category]; }

  // The law's token.
  std::int64_t token(std::uint64_t number) const {
    std::uint64_t target = kernel::token_target(number, total_);
    std::int64_t category = 0;
    for (; target >= weights_[static_cast<std::size_t>(category)]; ++category)
      target -= weights_[static_cast<std::size_t>(category)];
    return category;
  }

  // A number whose target is about `beyond` totals behind the beginning of a category's interval.
  std::uint64_t number_at(std::size_t category, double beyond) const {
    std::uint64_t before = 0;
    for (std::size_t j = 0; j < category; ++j) before += weights_[j];
    const double u = static_cast<double>(before) / static_cast<double>(total_) + beyond;
    return static_cast<std::uint64_t>(std::clamp(u, 0.0, 1 - 0x1p-53) * 0x1p64);
  }

  // How far the target may be off where a category's interval begins, as a share of the total.
  double share_of_error(std::size_t category) const {
    const double total = static_cast<double>(total_) / unit().weight;
    double before = 0;
    for (std::size_t j = 0; j < category; ++j) before += static_cast<double>(weights_[j]);
    before /= unit().weight;
    return kernel::rough_error(before / total, total, before, unit()) / static_cast<double>(total_);
  }

  // How far the target is off where a category's interval begins, as a share of the bound, if all terms are off by as
  // much as they may be.
  double share_of_bound(std::size_t category, Errors errors) const {
    std::uint64_t exact = 0;
    for (std::size_t j = 0; j < category; ++j) exact += weights_[j];
    const double u = static_cast<double>(exact) / static_cast<double>(total_);
    const float top = kernel::top_of(scale_.largest, scale_.high);
    const auto law = static_cast<std::int64_t>(category);
    std::mt19937_64 unused;
    const double before = wrong_terms(0, category, top, errors, law, unused);
    const double total = before + wrong_terms(category, size(), top, errors, law, unused);
    return std::fabs(u * total - before) * unit().weight / kernel::rough_error(u, total, before, unit());
  }

  // The sum of some terms, each times its |y|, in units; and the bound of it.
  double exponents(std::size_t first, std::size_t end) const {
    double all = 0;
    for (std::size_t j = first; j < end; ++j)
      if (logits_[j] != testing::minus_infinity) all -= term(j) * exponent(j);
    return all;
  }
  double most_exponents(std::size_t first, std::size_t end) const {
    double all = 0;
    for (std::size_t group = first; group < end; group += std::size_t{1} << log2_group) {
      double sum = 0;
      for (std::size_t j = group; j < std::min(end, group + (std::size_t{1} << log2_group)); ++j) sum += term(j);
      all += static_cast<double>(kernel::most_exponents(static_cast<float>(sum), log2_group)) + above() * sum;
    }
    return all;
  }

  // The token that is certain, or -1. The bound of the error is divided by `shrunk`.
  std::int64_t rough_token(std::uint64_t number, Errors errors, Exponents known, double shrunk,
                           std::mt19937_64& bits) const {
    const std::int64_t law = token(number);
    const float top = kernel::top_of(scale_.largest, scale_.high);
    if (!kernel::has_tops(scale_.largest, scale_.high)) return -1;
    std::vector<double> sums;
    double total = 0;
    for (std::size_t first = 0; first < size(); first += segment_size) {
      sums.push_back(kernel::in_units(sum(first, errors, law, bits), top));
      total += sums.back();
    }
    const double u = kernel::rough_number(number);
    double offset = u * total;
    for (std::size_t s = 0; s < sums.size(); ++s) {
      if (offset < sums[s]) {
        const std::size_t first = s * segment_size, end = std::min(size(), first + segment_size);
        const double before = u * total - offset;
        const double error = known == Exponents::of_sum
                                 ? kernel::rough_error(u, total, before, unit())
                                 : kernel::rough_error(u, {before, most_exponents(0, end)},
                                                       {total - before, most_exponents(first, size())}, unit());
        return token_in(first, kernel::rough_target(offset, error / shrunk, unit()));
      }
      offset -= sums[s];
    }
    return -1;
  }

 private:
  // How far the row's largest exponent is above its top.
  double above() const {
    return static_cast<double>(scale_.largest) * static_cast<double>(scale_.high) -
           static_cast<double>(kernel::top_of(scale_.largest, scale_.high));
  }
  double exponent(std::size_t category) const {
    const double below = static_cast<double>(logits_[category]) - static_cast<double>(scale_.largest);
    return below * (static_cast<double>(scale_.high) + static_cast<double>(scale_.low));
  }
  // In units.
  double term(std::size_t category) const { return std::exp2(exponent(category) + above()); }

  kernel::RoughUnit unit() const { return kernel::rough_unit(scale_, static_cast<std::int64_t>(size()), additions); }

  std::int64_t token_in(std::size_t first, const kernel::RoughTarget& target) const {
    if (!target.inside) return -1;
    std::uint64_t before = 0;
    for (std::size_t j = first; j < std::min(size(), first + segment_size); ++j) {
      const std::uint64_t end = before + weights_[j];
      if (target.low >= before && target.high < end) return static_cast<std::int64_t>(j);
      before = end;
    }
    return -1;
  }

  // A segment as the kernel sums it, or with every term off by as much as it may be.
  kernel::RoughSum sum(std::size_t first, Errors errors, std::int64_t law, std::mt19937_64& bits) const {
    const std::size_t end = std::min(size(), first + segment_size);
    const float largest = *std::max_element(logits_.begin() + static_cast<std::ptrdiff_t>(first),
                                            logits_.begin() + static_cast<std::ptrdiff_t>(end));
    if (largest == testing::minus_infinity) return {0, kernel::lowest_top};
    const float top = kernel::top_of(largest, scale_.high);
    if (errors == Errors::as_computed) {
      float sums[4] = {};
      for (std::size_t j = first; j < end; ++j) sums[j % 4] += std::exp2(std::fma(logits_[j], scale_.high, -top));
      return {(sums[0] + sums[1]) + (sums[2] + sums[3]), top};
    }
    // The sum is a float: what rounding it changes is one of the additions.
    return {static_cast<float>(wrong_terms(first, end, top, errors, law, bits)), top};
  }

  // The sum of some terms, in units of 2^top.
  double wrong_terms(std::size_t first, std::size_t end, float top, Errors errors, std::int64_t law,
                     std::mt19937_64& bits) const {
    double all = 0;
    for (std::size_t j = first; j < end; ++j) {
      if (logits_[j] == testing::minus_infinity) continue;
      const double below = static_cast<double>(logits_[j]) - static_cast<double>(scale_.largest);
      const double y = below * (static_cast<double>(scale_.high) + static_cast<double>(scale_.low));
      const double largest_exponent = static_cast<double>(scale_.largest) * static_cast<double>(scale_.high);
      const double of_scale = std::fabs(static_cast<double>(scale_.low)) / static_cast<double>(scale_.high) * 0x1p24;
      const double most = (0.6931 * (std::fabs(y) * (1 + of_scale) + 2) + 4 + 1 + additions) * 0x1p-24;
      const bool before = static_cast<std::int64_t>(j) < law;
      const bool up = errors == Errors::random ? bits() % 2 == 0 : before == (errors == Errors::before_the_target);
      all += std::exp2(y + (largest_exponent - static_cast<double>(top))) * (1 + (up ? most : -most));
    }
    return all;
  }

  std::vector<float> logits_;
  sampling::TokenScale scale_ = {};
  std::vector<std::uint64_t> weights_;
  std::uint64_t total_ = 0;
};

// Rows of several kinds: one category that has nearly all, a few that share, all equal, a wide tail.
std::vector<RoughRow> rows_of_every_kind(std::mt19937_64& bits) {
  std::vector<RoughRow> rows;
  for (const float temperature : {1.0f, 0.7f, 1e-6f, 1e6f}) {
    for (const float spread : {0.01f, 1.0f, 3.0f, 20.0f}) {
      std::normal_distribution<float> normal(spread, spread);
      std::vector<float> logits(3000);
      for (float& x : logits) x = normal(bits) * (temperature < 1e-3f ? 1e-5f : 1);
      rows.emplace_back(logits, temperature);
    }
    for (int n = 0; n < 12; ++n)
      if (auto logits = testing::random_row(bits, 1 + testing::pick(bits, 2000));
          *std::max_element(logits.begin(), logits.end()) > testing::minus_infinity)
        rows.emplace_back(std::move(logits), temperature);
    rows.emplace_back(std::vector<float>(4096, 1.5f), temperature);
    std::vector<float> two(1000, testing::minus_infinity);
    two[63] = two[64] = 2.5f;
    rows.emplace_back(two, temperature);
  }
  return rows;
}

struct Outcomes {
  int certain = 0, unknown = 0, wrong = 0;
};

// Draws with targets around the borders of the categories that weigh most, and with any.
void try_row(const RoughRow& row, Errors errors, Exponents known, double shrunk, std::mt19937_64& bits,
             Outcomes& outcomes) {
  std::vector<std::size_t> places(row.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const std::size_t few = std::min<std::size_t>(6, row.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(few), places.end(),
                    [&](std::size_t a, std::size_t b) { return row.weight(a) > row.weight(b); });
  std::uniform_real_distribution<double> near(-2, 2);
  const auto draw = [&](std::uint64_t number) {
    const std::int64_t token = row.rough_token(number, errors, known, shrunk, bits);
    outcomes.certain += token >= 0 ? 1 : 0;
    outcomes.unknown += token < 0 ? 1 : 0;
    outcomes.wrong += token >= 0 && token != row.token(number) ? 1 : 0;
  };
  for (std::size_t n = 0; n < few; ++n)
    for (int k = 0; k < 6; ++k) {
      const std::size_t place = places[n] + static_cast<std::size_t>(k % 2);
      draw(row.number_at(place, near(bits) * row.share_of_error(place)));
    }
  for (int k = 0; k < 10; ++k) draw(bits());
  draw(0), draw(~std::uint64_t{0});
}

Outcomes try_all(Errors errors, Exponents known, double shrunk) {
  std::mt19937_64 bits(11);
  Outcomes outcomes;
  for (const RoughRow& row : rows_of_every_kind(bits)) try_row(row, errors, known, shrunk, bits, outcomes);
  return outcomes;
}

TEST(TokenInterval, CertainTokensAreTheLaws) {
  for (const Errors errors : {Errors::as_computed, Errors::before_the_target, Errors::after_the_target, Errors::random})
    for (const Exponents known : {Exponents::of_sum, Exponents::of_groups}) {
      const Outcomes outcomes = try_all(errors, known, 1);
      EXPECT_EQ(outcomes.wrong, 0);
      EXPECT_GT(outcomes.certain, 500);
      EXPECT_GT(outcomes.unknown, 300);
    }
}

// The test can tell: with half of the bound or less, errors that are as large as they may be give other tokens.
TEST(TokenInterval, ASmallerBoundWouldNotDo) {
  for (const double shrunk : {2, 4, 8})
    for (const Exponents known : {Exponents::of_sum, Exponents::of_groups}) {
      SCOPED_TRACE(shrunk);
      EXPECT_GT(try_all(Errors::before_the_target, known, shrunk).wrong, 20);
      EXPECT_GT(try_all(Errors::after_the_target, known, shrunk).wrong, 20);
    }
}

// The sum with exponents never exceeds its bound, and reaches it where the terms of a group are equal.
TEST(TokenInterval, SumsOfGroupsBoundTheirExponents) {
  std::mt19937_64 bits(12);
  for (const RoughRow& row : rows_of_every_kind(bits)) {
    if (!row.has_tops()) continue;
    EXPECT_LE(row.exponents(0, row.size()), row.most_exponents(0, row.size()));
  }
  for (const float below : {0.0f, 2.0f, 9.0f}) {
    std::vector<float> logits(1024, 1.5f - below);
    logits[0] = 1.5f;
    const RoughRow row(logits, 1);
    const double sum = row.exponents(16, 1024);
    EXPECT_GE(row.most_exponents(16, 1024), sum);
    EXPECT_LT(row.most_exponents(16, 1024), sum + 0.02 * std::exp2(-1.4427 * static_cast<double>(below) + 0.5) * 1008);
  }
}

// Where all logits are equal, or all but a larger one, the errors come near to the bound.
TEST(TokenInterval, TheBoundIsNearlyReached) {
  for (const double below : {0.0, 3.0, 8.0}) {  // in bits
    for (const float temperature : {1.0f, 0.7f, 1e6f}) {
      const auto logit = static_cast<float>(1.5 - below * 0.6931 * static_cast<double>(temperature));
      std::vector<float> logits(4096, logit);
      logits[2048] = 1.5f;
      const RoughRow row(logits, temperature);
      for (const std::size_t category : {512u, 1024u, 2048u, 3072u, 3584u}) {
        for (const Errors errors : {Errors::before_the_target, Errors::after_the_target}) {
          const double share = row.share_of_bound(category, errors);
          SCOPED_TRACE(::testing::Message() << below << " bits, temperature " << temperature << ", at " << category);
          EXPECT_LE(share, 1);
          EXPECT_GT(share, 0.85);
        }
      }
    }
  }
}

TEST(TokenInterval, RowsWithoutTopsAreNeverCertain) {
  EXPECT_TRUE(kernel::has_tops(0x1.8p23f, 1));
  EXPECT_FALSE(kernel::has_tops(0x1p24f, 1));
  EXPECT_FALSE(kernel::has_tops(-1e30f, 1e20f));
  EXPECT_EQ(kernel::in_units({0, kernel::lowest_top}, -1e7f), 0);
  EXPECT_EQ(kernel::in_units({std::numeric_limits<float>::infinity(), -1.4e10f}, 5), 0);
}

// Of what terms before the target are off by, 1 - u remains, and u of the others: half of all in the middle of a row,
// next to nothing at its ends.
TEST(TokenInterval, ErrorsCountForWhatUTakesOfThem) {
  const sampling::TokenScale scale = kernel::token_scale(3.25f, 0.7f, kernel::token_unit_bits(131072));
  const kernel::RoughUnit unit = kernel::rough_unit(scale, 131072, additions);
  const double total = 500, all = kernel::error_of_sum(total, unit);
  const auto at = [&](double u) { return kernel::rough_error(u, total, u * total, unit); };
  EXPECT_GT(at(0.5), all / 2);
  EXPECT_LT(at(0.5), all * 0.55);
  EXPECT_LT(at(0.125), all * 0.26);
  EXPECT_LT(at(0.875), all * 0.26);
  // The sum of doubles and whole weights are not weighed.
  const double least = 131073 + total * unit.weight * 0x1p-46;
  EXPECT_GE(at(0), least);
  EXPECT_LT(at(0), least * 1.01);
  EXPECT_LT(at(1), least * 1.01);
  EXPECT_EQ(kernel::error_of_sum(0, unit), 0);
  EXPECT_EQ(kernel::error_of_sum(-1e-9, unit), 0);
}

TEST(TokenInterval, NothingIsInsideWhereTheErrorReachesBeyond) {
  kernel::RoughUnit unit = {};
  unit.weight = 100;
  EXPECT_FALSE(kernel::rough_target(1, 101, unit).inside);
  EXPECT_FALSE(kernel::rough_target(std::numeric_limits<double>::quiet_NaN(), 1, unit).inside);
  EXPECT_FALSE(kernel::rough_target(2, std::numeric_limits<double>::quiet_NaN(), unit).inside);
  const kernel::RoughTarget target = kernel::rough_target(2, 1.5, unit);
  EXPECT_TRUE(target.inside);
  EXPECT_EQ(target.low, 198u);
  EXPECT_EQ(target.high, 201u);
}

}  // namespace
}  // namespace papilio
