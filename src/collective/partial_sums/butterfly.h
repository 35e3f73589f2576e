#pragma once

#include <cstdint>

#include "collective/partial_sums/partial_sums.h"
#include "collective/search.h"

namespace papilio::inline PAPILIO_TARGET::collective {

// Which half of a segment a table entry holds: always the lower one (the search
// only adds), or the half nearest the lane (one select less to build; the search
// subtracts in odd lanes, so the last bit of a result depends on the lane).
enum class ButterflyForm : std::uint8_t { swap, add_subtract };

// Turns a W x W tile of weights into its butterfly-patterned partial sums.
//
// In:  lane r of tile.row[i] is the weight of category r in row i, as a
//      coalesced load leaves it.
// Out: lane r of tile.row[W - 1] is the total of row r; the entries above hold,
//      for each level of a binary tree over the categories, one half-segment sum.
//
// Invariant: before step `bit`, lane r of tile.row[i], for i = bit - 1 modulo
// bit, is the sum of the `bit` categories that share r's bits from `bit` up, in
// the row of the group of `bit` rows around i that r's lower bits choose. A step
// joins two such groups: of its two sums a lane keeps the one whose row it will
// own, sends the other to the partner that owns that, and adds what it gets.
//
// log2(W) steps, W - 1 exchanges and additions per lane, and no transposition.
// docs/butterfly.md does a 4 x 4 tile by hand.
// Source: Steele and Tristan, ACM TOPC 6(4):22, 2019, Algorithm 8, Figures 4 and 8.
template <ButterflyForm form, warp::Warp W, class T>
PAPILIO_LANEWISE void build_butterfly(Tile<W, T>& tile) {
  PAPILIO_UNROLL
  for (int bit = 1; bit < W::width; bit *= 2) {
    const auto odd = W::lane_has_bit(bit);
    PAPILIO_UNROLL_TILE
    for (int low = bit - 1; low < W::width; low += 2 * bit) {
      const int high = low + bit;
      const auto kept = W::select(odd, tile.row[high], tile.row[low]);  // half of my row
      const auto sent = W::select(odd, tile.row[low], tile.row[high]);  // half of my partner's
      const auto got = W::shuffle_xor(sent, bit);                       // the rest of mine
      tile.row[low] = form == ButterflyForm::swap ? W::select(odd, got, kept) : kept;
      tile.row[high] = kept + got;
    }
  }
}

// The category of row r, within its block, in which target lies. Lane r's table
// starts at table[base[r]], W x W values as `build_butterfly` leaves them; `low`
// is the sum before the block and `high` the sum up to its end.
//
// From the root down: the entry of row (lane's bits above the level) + bit - 1,
// in the column of the lane that kept it, is the sum of one half of the segment
// in view; the target lies in one of the halves. log2(W) reads per lane.
// Source: the same, Algorithm 10, with the corrections that it needs.
template <ButterflyForm form, warp::Warp W, class T>
PAPILIO_LANEWISE warp::Lanes<W, std::int32_t> search_butterfly(const T* table, warp::Lanes<W, std::int32_t> base,
                                                               warp::Lanes<W, T> target, warp::Lanes<W, T> low,
                                                               warp::Lanes<W, T> high) {
  const auto lane = W::lane_id();
  auto first = W::template splat<std::int32_t>(0);  // first category of the segment in view
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

// Butterfly-patterned partial sums of W rows: a table of W x W values per block,
// its last row the running totals of the rows.
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
    W::sync();  // a lane's half sums are in other lanes' columns
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
  warp::Lanes<W, T> before_;  // what the first block follows
  warp::Lanes<W, T> sum_;
  std::int32_t blocks_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::collective
