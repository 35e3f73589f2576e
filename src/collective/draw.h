#pragma once

#include <cstdint>

#include "collective/partial_sums/butterfly.h"
#include "collective/partial_sums/partial_sums.h"
#include "collective/partial_sums/prefix.h"
#include "collective/rows.h"

// Draws by the tables of the papers: W rows at once, blocks of W categories, the
// last block padded with zeros (so that blocks stay aligned; the papers put the
// remnant first). For the canonical order see draw_slots.h.

namespace papilio::inline PAPILIO_TARGET::collective {

// Lane r: the total of row r, and the category that the search ended in. Where
// u * total rounds up to the total, that is the last category of the table.
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
  std::int64_t longest = 0;
  for (int q = 0; q < W::width; ++q) longest = rows.size(q) > longest ? rows.size(q) : longest;
  return longest;
}

// The block of every row that begins at category k, read coalesced.
template <Warp W, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE void load_block(const Rows& rows, std::int64_t k, Tile<W, T>& tile) {
  for (int q = 0; q < W::width; ++q) tile.row[q] = rows.template block<W>(q, k);
}

// By one of the tables: `Sums` meets BlockSums. `memory` holds
// Sums::table_size(blocks of the longest row) values.
template <Warp W, class Sums, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE BlockDraw<W, T> draw_by_blocks(const Rows& rows, Lanes<W, T> u, T* memory) {
  const std::int64_t end = longest_of<W>(rows);
  Sums sums(memory);
  std::int64_t k = 0;
  do {
    Tile<W, T> tile;
    load_block<W>(rows, k, tile);
    sums.add_block(tile);
    k += W::width;
  } while (k < end);
  return {sums.total(), sums.find(u * sums.total())};
}

// By prefix sums, each lane reading a row of its own (Algorithm 1 as it stands).
template <Warp W, class Rows, Search search = Search::binary, class T = typename Rows::Weight>
PAPILIO_LANEWISE BlockDraw<W, T> draw_by_prefix(const Rows& rows, Lanes<W, T> u, T* memory) {
  const std::int64_t end = longest_of<W>(rows);
  PrefixSums<W, T, search> sums(memory);
  std::int64_t k = 0;
  do {
    T weights[W::width];
    for (int q = 0; q < W::width; ++q) weights[q] = k < rows.size(q) ? rows.weight(q, k) : T{0};
    sums.add(W::load(weights));
  } while (++k < end);
  return {sums.total(), sums.find(u * sums.total())};
}

// Without a table: the first pass keeps the running totals of the blocks, the
// second reads again the one block of each row that the search ended in and
// builds one butterfly of them. `memory` holds two_pass_size(blocks) values.
template <Warp W>
constexpr std::int64_t two_pass_size(std::int64_t blocks) {
  return (blocks + W::width) * W::width;
}

template <Warp W, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE BlockDraw<W, T> draw_by_two_passes(const Rows& rows, Lanes<W, T> u, T* memory) {
  const std::int64_t end = longest_of<W>(rows);
  T* const totals = memory + W::width * W::width;
  Tile<W, T> tile;
  auto sum = W::template splat<T>(0);
  std::int32_t blocks = 0;
  do {
    load_block<W>(rows, std::int64_t{blocks} * W::width, tile);
    build_butterfly<ButterflyForm::swap>(tile);
    sum = sum + tile.row[W::width - 1];
    W::store(totals + std::int64_t{blocks} * W::width, sum);
  } while (std::int64_t{++blocks} * W::width < end);

  const auto target = u * sum;
  const auto block = search_binary<W>(totals, {.count = blocks}, target);
  std::int32_t chosen[W::width];
  W::store(chosen, block);
  for (int q = 0; q < W::width; ++q) tile.row[q] = rows.template block<W>(q, std::int64_t{chosen[q]} * W::width);
  build_butterfly<ButterflyForm::swap>(tile);
  for (int i = 0; i < W::width; ++i) W::store(memory + i * W::width, tile.row[i]);

  const auto zero = W::template splat<std::int32_t>(0);
  const auto has_before = W::less(zero, block);
  const auto before = W::select(has_before, block - 1, zero) * W::width + W::lane_id();
  const auto low = W::select(has_before, W::gather(totals, before), W::template splat<T>(0));
  const auto high = W::gather(totals, block * W::width + W::lane_id());
  return {sum, block * W::width + search_butterfly<ButterflyForm::swap, W>(memory, zero, target, low, high)};
}

// The nearest category of positive weight at or before `category` in row q,
// else the first after it; -1 where there is none. Tree sums can point at a
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
