#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
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

// A tile of `width` rows, and u of each.
template <class T>
struct Drawing {
  std::vector<WeightRow<T>> rows;
  std::vector<double> u;
};

template <class T>
Drawing<T> drawing(int turn, std::int64_t categories, std::mt19937_64& bits) {
  const bool product = turn % 2 == 0, ragged = turn % 3 == 0;
  Drawing<T> made;
  for (int q = 0; q < width; ++q) {
    // A partial tile: nothing past its last row.
    const bool absent = turn % 4 == 0 && q > turn % width;
    const auto size = absent ? 0
                      : ragged && q % 4 != 0
                          ? static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(categories + 1))
                          : categories;
    made.rows.push_back(size == 0 ? WeightRow<T>{} : real_row<T>(all_weights[(turn + q) % 4], product, size, bits));
    made.u.push_back(std::ldexp(static_cast<double>(bits() >> 40), -24));
  }
  return made;
}

template <class T>
void expect_same_tables(const Realisation<T>& simd, const Realisation<T>& scalar, const Drawing<T>& drawing) {
  ASSERT_EQ(simd.method, scalar.method);
  const auto& rows = drawing.rows;
  Tile32<T> a(rows), b(rows);
  a.draw(simd, drawing.u);
  b.draw(scalar, drawing.u);
  ASSERT_EQ(a.memory.size(), b.memory.size());
  ASSERT_EQ(std::memcmp(a.memory.data(), b.memory.data(), a.memory.size() * sizeof(T)), 0);
  ASSERT_EQ(a.total, b.total);
  for (std::size_t q = 0; q < width; ++q) {
    if (rows[q].size() > 0) {
      ASSERT_EQ(a.category[q], b.category[q]) << "row " << q;
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
  std::mt19937_64 bits(1);
  int turn = 0;
  for (const std::int64_t categories : category_counts(width)) {
    const Drawing<T> same = drawing<T>(++turn, categories, bits);
    for (std::size_t i = 0; i < simd.size(); ++i) {
      SCOPED_TRACE(simd[i].name + ", " + std::to_string(categories) + " categories");
      expect_same_tables(simd[i], scalar[i], same);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Parity, OfTablesInFloat) { expect_parity<float>(); }
TEST(Parity, OfTablesInDouble) { expect_parity<double>(); }

}  // namespace
}  // namespace papilio::testing
