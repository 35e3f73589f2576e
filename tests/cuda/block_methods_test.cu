#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "collective/rows.h"
#include "cuda/support.h"
#include "sampling/blocks/block_methods.h"
#include "sampling/blocks/remnant.h"
#include "warp/cuda_warp.cuh"
#include "warp/scalar_warp.h"

// Whole draws by every table of the papers: CudaWarp on a device against
// ScalarWarp<32> here, bit for bit, and against the running sums of integer weights.

namespace papilio::testing {
namespace {

constexpr int width = 32;

// A tile of rows, and u for some draws from each.
template <class T>
struct Tile {
  static constexpr int rounds = 6;
  std::int64_t sizes[width];
  std::int64_t left[width], right[width];  // where the rows begin
  T u[rounds][width];
};

struct Found {
  std::int32_t category[width];
  double total[width];
};

template <class T>
struct Memory {
  const T* values;
  T* table;  // table_size of each tile
  T* scratch;
  std::int64_t table_size;
  bool remnant_first;
};
constexpr int scratch_size = width * (width + 1);

// Every round of one tile; the caller is one warp.
template <PartialSums method, bool product, class W, class T>
PAPILIO_LANEWISE void draw_tile(const Tile<T>* tiles, int number, const Memory<T>& memory, Found* found) {
  const Tile<T>& tile = tiles[number];
  const T *left[width], *right[width];
  for (int q = 0; q < width; ++q) left[q] = memory.values + tile.left[q], right[q] = memory.values + tile.right[q];
  T* const table = memory.table + number * memory.table_size;
  T* const scratch = memory.scratch + number * scratch_size;
  for (int round = 0; round < Tile<T>::rounds; ++round) {
    const auto draw = [&] {
      if constexpr (product) {
        const collective::ProductRows<T> rows{left, right, tile.sizes};
        return sampling_kernel::draw_by_method<method, W>(rows, W::load(tile.u[round]), table, scratch,
                                                          memory.remnant_first);
      } else {
        const collective::PlainRows<T> rows{left, tile.sizes};
        return sampling_kernel::draw_by_method<method, W>(rows, W::load(tile.u[round]), table, scratch,
                                                          memory.remnant_first);
      }
    }();
    Found& result = found[number * Tile<T>::rounds + round];
    W::store(result.category, draw.category);
    W::store(result.total, W::template convert<double>(draw.total));
    W::sync();
  }
}

template <PartialSums method, bool product, class T>
__global__ void draw_tiles(const Tile<T>* tiles, Memory<T> memory, Found* found) {
  draw_tile<method, product, warp::CudaWarp<width>>(tiles, static_cast<int>(blockIdx.x), memory, found);
}

template <class T>
bool any_positive(const std::vector<T>& values, std::int64_t first, std::int64_t size) {
  return std::any_of(values.begin() + first, values.begin() + first + size, [](T w) { return w > 0; });
}

template <class T>
struct Problem {
  std::vector<Tile<T>> tiles;
  std::vector<T> values;
  std::int64_t longest = 0;
  std::vector<std::vector<T>> weights;  // of each row of each tile, where they are integers
};

// Tiles of every size up to four blocks and a bit, and some longer; rows of other
// lengths among them. `value` makes a weight.
template <class T, class Value>
Problem<T> problem(bool product, Value value) {
  Problem<T> p;
  std::mt19937_64 bits(20150511);
  std::vector<std::int64_t> sizes;
  for (std::int64_t k = 1; k <= 4 * width + 3; ++k) sizes.push_back(k);
  for (const std::int64_t k : {257, 512, 1000, 1025}) sizes.push_back(k);
  for (const std::int64_t categories : sizes) {
    Tile<T> tile;
    p.longest = std::max(p.longest, categories);
    for (int q = 0; q < width; ++q) {
      const bool shorter = categories % 3 == 1 && q % 4 == 3;
      const std::int64_t size =
          shorter ? static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(categories + 1)) : categories;
      tile.sizes[q] = size;
      for (std::int64_t* side : {&tile.left[q], &tile.right[q]}) {
        *side = static_cast<std::int64_t>(p.values.size());
        for (std::int64_t k = 0; k < size; ++k) p.values.push_back(value(bits));
        if (size > 0 && !any_positive(p.values, *side, size)) p.values[static_cast<std::size_t>(*side)] = 1;
      }
      std::vector<T> row;
      for (std::int64_t k = 0; k < size; ++k) {
        const T left = p.values[static_cast<std::size_t>(tile.left[q] + k)];
        row.push_back(product ? left * p.values[static_cast<std::size_t>(tile.right[q] + k)] : left);
      }
      p.weights.push_back(row);
      for (auto& u : tile.u)
        u[q] = sizeof(T) == 4 ? static_cast<T>(std::ldexp(static_cast<double>(bits() >> 40), -24))
                              : static_cast<T>(std::ldexp(static_cast<double>(bits() >> 11), -53));
    }
    p.tiles.push_back(tile);
  }
  return p;
}

template <PartialSums method, bool product, class T>
std::vector<Found> draw_here(const Problem<T>& p, std::int64_t table_size, bool remnant_first) {
  std::vector<Found> found(p.tiles.size() * Tile<T>::rounds);
  std::vector<T> table(p.tiles.size() * static_cast<std::size_t>(table_size)), scratch(p.tiles.size() * scratch_size);
  const Memory<T> memory{p.values.data(), table.data(), scratch.data(), table_size, remnant_first};
  for (std::size_t t = 0; t < p.tiles.size(); ++t)
    draw_tile<method, product, warp::ScalarWarp<width>>(p.tiles.data(), static_cast<int>(t), memory, found.data());
  return found;
}

template <PartialSums method, bool product, class T>
std::vector<Found> draw_on_device(const Problem<T>& p, std::int64_t table_size, bool remnant_first) {
  DeviceCopy<Found> found(std::vector<Found>(p.tiles.size() * Tile<T>::rounds));
  DeviceCopy<Tile<T>> tiles(p.tiles);
  DeviceCopy<T> values(p.values);
  DeviceCopy<T> table(std::vector<T>(p.tiles.size() * static_cast<std::size_t>(table_size)));
  DeviceCopy<T> scratch(std::vector<T>(p.tiles.size() * scratch_size));
  draw_tiles<method, product><<<static_cast<unsigned>(p.tiles.size()), width>>>(
      static_cast<const Tile<T>*>(tiles.data()),
      Memory<T>{values.data(), table.data(), scratch.data(), table_size, remnant_first}, found.data());
  execution::check_launch("a test's kernel");
  std::vector<Found> host = found.host();
  EXPECT_TRUE(found.gaps_intact() && table.gaps_intact() && scratch.gaps_intact());
  return host;
}

template <PartialSums method, bool product, class T>
void expect_same_draws(const Problem<T>& p, bool integers, bool remnant_first) {
  const std::int64_t table_size =
      sampling_kernel::block_table_size(method, collective::blocks_of(p.longest, width), width);
  const auto expected = draw_here<method, product>(p, table_size, remnant_first);
  const auto found = draw_on_device<method, product>(p, table_size, remnant_first);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t tile = i / Tile<T>::rounds;
    for (int q = 0; q < width; ++q) {
      ASSERT_EQ(found[i].total[q], expected[i].total[q]) << name(method) << ", tile " << tile << ", row " << q;
      ASSERT_EQ(found[i].category[q], expected[i].category[q]) << name(method) << ", tile " << tile << ", row " << q;
      if (!integers || p.tiles[tile].sizes[q] == 0) continue;
      const auto& row = p.weights[tile * width + static_cast<std::size_t>(q)];
      const T target = p.tiles[tile].u[i % Tile<T>::rounds][q] * static_cast<T>(found[i].total[q]);
      std::int32_t exact = 0;
      for (T sum = row[0]; !(target < sum); sum += row[static_cast<std::size_t>(exact)]) ++exact;
      ASSERT_EQ(found[i].category[q], exact) << name(method) << ", tile " << tile << ", row " << q;
    }
  }
}

template <bool product, class T>
void expect_same_by_every_method(const Problem<T>& p, bool integers) {
  for (const PartialSums wanted :
       {PartialSums::prefix, PartialSums::transposed, PartialSums::transposed_through_scratch,
        PartialSums::butterfly_swap, PartialSums::butterfly_add_subtract, PartialSums::butterfly_two_pass,
        PartialSums::transposed_remnant_first, PartialSums::butterfly_swap_remnant_first,
        PartialSums::butterfly_add_subtract_remnant_first}) {
    const bool remnant_first = sampling::has_remnant_first(wanted);
    sampling_kernel::with_block_method(
        wanted, [&]<PartialSums method>() { expect_same_draws<method, product>(p, integers, remnant_first); });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

template <class T>
class BlockMethods : public CudaTest {};
using FloatingPoint = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BlockMethods, FloatingPoint);

constexpr auto small_integer = [](std::mt19937_64& bits) {
  return static_cast<float>(bits() % 8 < 5 ? 0 : bits() % 4);
};
constexpr auto fraction = [](std::mt19937_64& bits) { return std::ldexp(static_cast<float>(bits() >> 40), -24); };

TYPED_TEST(BlockMethods, DrawExactlyFromIntegers) {
  expect_same_by_every_method<false>(problem<TypeParam>(false, small_integer), true);
}
TYPED_TEST(BlockMethods, DrawFromRealWeights) {
  expect_same_by_every_method<false>(problem<TypeParam>(false, fraction), false);
}
TYPED_TEST(BlockMethods, DrawFromProducts) {
  expect_same_by_every_method<true>(problem<TypeParam>(true, fraction), false);
}

}  // namespace
}  // namespace papilio::testing
