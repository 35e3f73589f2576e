#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "collective/real_weights.h"
#include "collective/realisations.h"

// Tables, totals and draws of the vector warp of 32 lanes are those of the scalar
// one, bit for bit (of 8 lanes where only a few realisations are compiled). (Slot order leaves no other table than its
// lane sums; that its draws are the same for every width, real_draws_test shows.)

namespace papilio::testing {
namespace {

#if defined(PAPILIO_TEST_FEW)
constexpr int width = 8;
#else
constexpr int width = 32;
#endif

template <class T>
void expect_same_tables(const Realisation<T>& simd, const Realisation<T>& scalar) {
  ASSERT_EQ(simd.method, scalar.method);
  std::mt19937_64 bits(1);
  int turn = 0;
  for (const std::int64_t categories : category_counts(width)) {
    ++turn;
    const bool product = turn % 2 == 0, ragged = turn % 3 == 0;
    std::vector<WeightRow<T>> rows;
    std::vector<double> u;
    for (int q = 0; q < width; ++q) {
      // A partial tile: nothing past its last row.
      const bool absent = turn % 4 == 0 && q > turn % width;
      const auto size = absent ? 0
                        : ragged && q % 4 != 0
                            ? static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(categories + 1))
                            : categories;
      rows.push_back(size == 0 ? WeightRow<T>{} : real_row<T>(all_weights[(turn + q) % 4], product, size, bits));
      u.push_back(std::ldexp(static_cast<double>(bits() >> 40), -24));
    }
    Tile32<T> a(rows), b(rows);
    a.draw(simd, u);
    b.draw(scalar, u);
    ASSERT_EQ(a.memory.size(), b.memory.size());
    ASSERT_EQ(std::memcmp(a.memory.data(), b.memory.data(), a.memory.size() * sizeof(T)), 0) << categories;
    ASSERT_EQ(a.total, b.total) << categories;
    for (std::size_t q = 0; q < width; ++q) {
      if (rows[q].size() > 0) {
        ASSERT_EQ(a.category[q], b.category[q]) << "row " << q << ", " << categories;
      }
    }
  }
}

template <class T>
std::vector<Realisation<T>> of_width(std::vector<Realisation<T>> all) {
  std::erase_if(all, [](const Realisation<T>& way) { return way.width != width; });
  return all;
}

template <class T>
void expect_parity() {
  const auto simd = of_width(realisations<T>()), scalar = of_width(scalar_realisations<T>());
  ASSERT_FALSE(simd.empty());
  ASSERT_EQ(simd.size(), scalar.size());
  for (std::size_t i = 0; i < simd.size(); ++i) {
    SCOPED_TRACE(simd[i].name);
    expect_same_tables(simd[i], scalar[i]);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Parity, OfTablesInFloat) { expect_parity<float>(); }
TEST(Parity, OfTablesInDouble) { expect_parity<double>(); }

}  // namespace
}  // namespace papilio::testing
