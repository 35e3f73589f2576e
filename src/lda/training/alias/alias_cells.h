#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace papilio::lda {

// A cell of an alias table: of 2^32 numbers, the first `keep` stand for the cell's own item, the others for `other`.
struct AliasCell {
  std::uint32_t keep;
  std::uint32_t other;
};

// Makes an alias table of weights >= 0 that add up, in order, to `sum` > 0. Every item's share of the
// cells is its share of the sum to within 2^-31 / items, and in all to within 2^-31. Time O(items), one pass, in place:
// the sweep over light and heavy items of Huebschle-Schneider and Sanders, "Parallel weighted random sampling", ACM
// TOMS 48(3), 2022, for the tables of Walker, ACM TOMS 3(3), 1977.
//
// sampling::alias_columns makes tables of 16 bytes per item that are exact to a double's last bit, from sums of twice a
// double's length. The tables here are made for all words in every sweep, so they must be smaller and faster to make.
void make_alias_cells(std::span<const double> weights, double sum, std::span<AliasCell> cells);

// The item at a position in [0, items): its whole part is the cell, its fraction the place in the cell.
inline std::uint32_t alias_item(const AliasCell* cells, std::uint32_t items, double position) {
  const std::uint32_t cell = std::min(static_cast<std::uint32_t>(position), items - 1);
  const double place = (position - cell) * 0x1p32;
  return place < static_cast<double>(cells[cell].keep) ? cell : cells[cell].other;
}

}  // namespace papilio::lda
