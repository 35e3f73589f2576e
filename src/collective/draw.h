#pragma once

#include <cstdint>

#include "collective/partial_sums/butterfly.h"
#include "collective/partial_sums/partial_sums.h"
#include "collective/partial_sums/prefix.h"
#include "collective/rows.h"
#include "collective/target.h"

// Draws by the tables of the papers: W rows at once, blocks of W categories. Where
// K is not a multiple of W, the last block is padded with zeros, so that blocks stay
// aligned; or the remnant of K mod W categories comes first, as in the papers. For
// the canonical order see draw_slots.h.

namespace papilio::inline PAPILIO_TARGET::collective {

// Lane r: the total of row r, and the category that the search ended in. Where no sum
// exceeds the target, because no weight is positive, that is the last one of the table.
template <Warp W, class T>
struct BlockDraw {
  Lanes<W, T> total;
  Lanes<W, std::int32_t> category;
};

PAPILIO_LANEWISE std::int64_t blocks_of(std::int64_t categories, int width) {
  return categories <= width ? 1 : (categories + width - 1) / width;
}

template <Warp W, class Rows>
PAPILIO_LANEWISE std::int64_t longest_of(const Rows& rows) {
  if constexpr (requires { rows.longest(); }) {
    return rows.longest();
  } else {
    std::int64_t longest = 0;
    for (int q = 0; q < W::width; ++q) longest = rows.size(q) > longest ? rows.size(q) : longest;
    return longest;
  }
}

// The block of every row that begins at category k, read coalesced.
template <Warp W, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE void load_block(const Rows& rows, std::int64_t k, Tile<W, T>& tile) {
  PAPILIO_UNROLL_TILE
  for (int q = 0; q < W::width; ++q) tile.row[q] = rows.template block<W>(q, k);
}

// Category k of a different row in each lane: W rows are touched.
template <Warp W, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE Lanes<W, T> load_column(const Rows& rows, std::int64_t k) {
  if constexpr (requires { rows.template column<W>(k); }) {
    return rows.template column<W>(k);
  } else {
    T weights[W::width];
    for (int q = 0; q < W::width; ++q) weights[q] = k < rows.size(q) ? rows.weight(q, k) : T{0};
    return W::load(weights);
  }
}

// Draws by one of the tables. `Sums` meets BlockSums, and nothing has been added to `sums` yet.
//
// If `remnant` is given, a table of (K mod W) * W values, the remnant comes first: prefix sums over its
// categories, for which each lane reads its own row; then whole blocks. A target below the remnant's
// sum lies in the remnant, which is searched linearly. All rows must then have the same length.
// Source: Steele and Tristan, ACM TOPC 6(4):22, 2019, Algorithms 5 to 7 and 9, Figure 9.
template <Warp W, class Sums, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE BlockDraw<W, T> draw_by_blocks(const Rows& rows, Lanes<W, T> u, Sums sums, T* remnant = nullptr) {
  const std::int64_t end = longest_of<W>(rows);
  const std::int64_t first_block = remnant != nullptr ? end % W::width : 0;
  PrefixSums<W, T, Search::linear> ahead(remnant);
  for (std::int64_t k = 0; k < first_block; ++k) ahead.add(load_column<W>(rows, k));
  sums.start_after(ahead.total());

  // At least one block, even if it is all zeros, so that a search never meets an empty table.
  std::int64_t k = first_block;
  do {
    Tile<W, T> tile;
    load_block<W>(rows, k, tile);
    sums.add_block(tile);
    k += W::width;
  } while (k < end);
  const auto target = target_of<W, T>(u, sums.total());
  auto category = sums.find(target) + static_cast<std::int32_t>(first_block);
  if (first_block > 0) category = W::select(W::less(target, ahead.total()), ahead.find(target), category);
  return {sums.total(), category};
}

// The same; `memory` holds Sums::table_size(blocks of the longest row) values.
template <Warp W, class Sums, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE BlockDraw<W, T> draw_by_blocks(const Rows& rows, Lanes<W, T> u, T* memory) {
  return draw_by_blocks<W, Sums>(rows, u, Sums(memory));
}

// By prefix sums, each lane reading its own row (Algorithm 1 as printed).
template <Warp W, class Rows, Search search = Search::binary, class T = typename Rows::Weight>
PAPILIO_LANEWISE BlockDraw<W, T> draw_by_prefix(const Rows& rows, Lanes<W, T> u, T* memory) {
  const std::int64_t end = longest_of<W>(rows);
  PrefixSums<W, T, search> sums(memory);
  std::int64_t k = 0;
  do {
    sums.add(load_column<W>(rows, k));
  } while (++k < end);
  return {sums.total(), sums.find(target_of<W, T>(u, sums.total()))};
}

// Without a table. The first pass keeps the running totals of the blocks; the second
// pass reads again, for each row, the one block in which its target lies, and builds
// one butterfly from these W blocks. `totals` holds blocks * W values, `scratch` W * W.
template <Warp W, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE BlockDraw<W, T> draw_by_two_passes(const Rows& rows, Lanes<W, T> u, T* totals, T* scratch) {
  const std::int64_t end = longest_of<W>(rows);
  Tile<W, T> tile;
  auto sum = W::template splat<T>(0);
  std::int32_t blocks = 0;
  do {
    load_block<W>(rows, std::int64_t{blocks} * W::width, tile);
    build_butterfly<ButterflyForm::swap>(tile);
    sum = sum + tile.row[W::width - 1];
    W::store(totals + std::int64_t{blocks} * W::width, sum);
  } while (std::int64_t{++blocks} * W::width < end);

  const auto target = target_of<W, T>(u, sum);
  const auto block = search_binary<W>(totals, {.count = blocks}, target);
  W::for_each_lane(block, [&](int q, std::int32_t chosen) {
    tile.row[q] = rows.template block<W>(q, std::int64_t{chosen} * W::width);
  });
  build_butterfly<ButterflyForm::swap>(tile);
  store_tile(tile, scratch);
  W::sync();

  const auto zero = W::template splat<std::int32_t>(0);
  const auto has_before = W::less(zero, block);
  const auto before = W::select(has_before, block - 1, zero) * W::width + W::lane_id();
  const auto low = W::select(has_before, W::gather(totals, before), W::template splat<T>(0));
  const auto high = W::gather(totals, block * W::width + W::lane_id());
  return {sum, block * W::width + search_butterfly<ButterflyForm::swap, W>(scratch, zero, target, low, high)};
}

// The same; `memory` holds two_pass_size(blocks) values.
template <Warp W>
constexpr std::int64_t two_pass_size(std::int64_t blocks) {
  return (blocks + W::width) * W::width;
}
template <Warp W, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE BlockDraw<W, T> draw_by_two_passes(const Rows& rows, Lanes<W, T> u, T* memory) {
  return draw_by_two_passes<W>(rows, u, memory + W::width * W::width, memory);
}

// The nearest category of positive weight at or before `category` in row q,
// else the first after it; -1 if there is none. Tree sums can point at a
// category of weight zero by rounding, and past the end of a padded row.
template <class Rows>
PAPILIO_LANEWISE std::int64_t positive_at_or_before(const Rows& rows, int q, std::int64_t category) {
  const std::int64_t size = rows.size(q);
  std::int64_t k = category < size ? category : size - 1;
  while (k >= 0 && !(rows.weight(q, k) > 0)) --k;
  if (k >= 0) return k;
  for (k = 0; k < size && !(rows.weight(q, k) > 0);) ++k;
  return k < size ? k : -1;
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
