#pragma once

#include <cstdint>

#include "collective/partial_sums/partial_sums.h"
#include "collective/search.h"

namespace papilio::inline PAPILIO_TARGET::collective {

// Which half of a tree node's sum a table entry holds. `swap`: always the lower half, so that the search only
// adds. `add_subtract`: the half that the lane itself summed, which saves one select per exchange; but the
// search then subtracts in lanes that hold upper halves, so the last bit of a result depends on the lane.
enum class ButterflyForm : std::uint8_t { swap, add_subtract };

// Turns a W x W tile of weights into its butterfly-patterned partial sums. For W = 4, rows A to D and `swap`, where a
// column is a lane and A0-1 is the sum of categories 0 to 1 of row A (docs/butterfly.md does this tile by hand):
//     tile.row[0]   A0  A1  A2  A3         A0    B0    A2    B2
//     tile.row[1]   B0  B1  B2  B3    ->   A0-1  B0-1  C0-1  D0-1
//     tile.row[2]   C0  C1  C2  C3         C0    D0    C2    D2
//     tile.row[3]   D0  D1  D2  D3         A     B     C     D
// In: lane r of tile.row[i] is the weight of category r of row i, as a coalesced load leaves it. Out: lane r of
// tile.row[W - 1] is the total of row r; the others hold half of the sum of each node of a binary tree over categories.
//
// Invariant: before the step of distance `bit`, each group of `bit` rows has its sums in its last register. Lane r of
// it holds the sum of the `bit` categories that share r's bits from `bit` up, of row number r mod bit of the group.
// A step merges the groups that end in registers `low` and `high`: lane r takes over row r mod (2 bit) of the two. It
// has half of that row's sum and half of its partner's: it keeps the first, sends the second and adds what it gets.
// The sum goes to `high`; `low` keeps one half of it for the search, and no later step touches it. All in all log2(W)
// steps, and W - 1 exchanges and additions per lane; a transposition alone takes W/2 log2(W) exchanges.
// Source: Steele and Tristan, ACM TOPC 6(4):22, 2019, Algorithm 8, Figures 4 and 8.
template <ButterflyForm form, warp::Warp W, class T>
PAPILIO_LANEWISE void build_butterfly(Tile<W, T>& tile) {
  PAPILIO_UNROLL
  for (int bit = 1; bit < W::width; bit *= 2) {
    const auto odd = W::lane_has_bit(bit);
    PAPILIO_UNROLL_TILE
    for (int low = bit - 1; low < W::width; low += 2 * bit) {
      const int high = low + bit;
      const auto kept = W::select(odd, tile.row[high], tile.row[low]);  // half of my row's sum
      const auto sent = W::select(odd, tile.row[low], tile.row[high]);  // half of my partner's
      const auto got = W::shuffle_xor(sent, bit);                       // the other half of mine
      tile.row[low] = form == ButterflyForm::swap ? W::select(odd, got, kept) : kept;
      tile.row[high] = kept + got;
    }
  }
}

// For each row r, the category within one block in whose interval of the running sums the
// target lies. That block's table starts at table[base[r]]: W x W values as `build_butterfly`
// leaves them. `low` is the sum before the block, `high` the sum up to its end.
//
// From the root down: the node in view has the 2 bit categories from `first` on. The merge of distance `bit` left
// one half of its sum in register `low` of row r's group, in the lane whose upper bits are those of `first` and
// whose lower bits are r's. This half gives `middle`, and the target lies on one side of it. log2(W) reads per lane.
// Source: the same, Algorithm 10, with the corrections that docs/butterfly.md lists.
template <ButterflyForm form, warp::Warp W, class T>
PAPILIO_LANEWISE warp::Lanes<W, std::int32_t> search_butterfly(const T* table, warp::Lanes<W, std::int32_t> base,
                                                               warp::Lanes<W, T> target, warp::Lanes<W, T> low,
                                                               warp::Lanes<W, T> high) {
  const auto lane = W::lane_id();
  auto first = W::template splat<std::int32_t>(0);  // first category of the node in view
  PAPILIO_UNROLL
  for (int bit = W::width / 2; bit > 0; bit /= 2) {
    const auto row = (lane & ~(2 * bit - 1)) + (bit - 1);
    const auto column = first | (lane & (2 * bit - 1));
    const auto half = W::gather(table, base + row * W::width + column);
    auto middle = low + half;
    if constexpr (form == ButterflyForm::add_subtract) middle = W::select(W::lane_has_bit(bit), high - half, middle);
    const auto go_left = W::less(target, middle);
    first = W::select(go_left, first, first + bit);
    low = W::select(go_left, low, middle);
    high = W::select(go_left, middle, high);
  }
  return first;
}

// Butterfly-patterned partial sums of W rows of any length. Each block has a table of W x W values; the
// last row of a table holds not the block's totals but the rows' running totals up to the end of the block.
template <warp::Warp W, class T, ButterflyForm form, Search search = Search::binary>
class ButterflySums {
 public:
  PAPILIO_LANEWISE explicit ButterflySums(T* memory)
      : table_(memory), before_(W::template splat<T>(0)), sum_(before_) {}

  static constexpr std::int64_t table_size(std::int64_t blocks) { return blocks * W::width * W::width; }

  PAPILIO_LANEWISE void start_after(warp::Lanes<W, T> before) { sum_ = before_ = before; }

  PAPILIO_LANEWISE void add_block(Tile<W, T>& tile) {
    build_butterfly<form>(tile);
    sum_ = sum_ + tile.row[W::width - 1];
    tile.row[W::width - 1] = sum_;
    store_tile(tile, table_ + table_size(blocks_++));
  }

  PAPILIO_LANEWISE warp::Lanes<W, T> total() const { return sum_; }

  PAPILIO_LANEWISE warp::Lanes<W, std::int32_t> find(warp::Lanes<W, T> target) const {
    const Column totals = {.count = blocks_, .stride = W::width, .offset = W::width - 1};
    W::sync();  // a lane reads half sums that other lanes have stored
    const auto block =
        search == Search::linear ? search_linear<W>(table_, totals, target) : search_binary<W>(table_, totals, target);
    const auto base = block * (W::width * W::width);
    const auto last_row = base + W::lane_id() + W::width * (W::width - 1);
    const auto zero = W::template splat<std::int32_t>(0);
    const auto before = W::select(W::less(zero, block), last_row - W::width * W::width, last_row);
    const auto low = W::select(W::less(zero, block), W::gather(table_, before), before_);
    const auto high = W::gather(table_, last_row);
    return block * W::width + search_butterfly<form, W>(table_, base, target, low, high);
  }

 private:
  T* table_;
  warp::Lanes<W, T> before_;  // the sum of each row before its first block
  warp::Lanes<W, T> sum_;
  std::int32_t blocks_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::collective
