#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace papilio::lda {

// A cell of an alias table: of 2^32 numbers the first `keep` are its own item's, the others those of `other`.
struct AliasCell {
  std::uint32_t keep;
  std::uint32_t other;
};

// An alias table of weights >= 0 with the given sum, added up in order, which is above 0. Every item's share of the
// cells is its share of the sum to within 2^-31 / items, and in all to within 2^-31. Time O(items), one pass, in place:
// the sweep over light and heavy items of Huebschle-Schneider and Sanders, "Parallel weighted random sampling", ACM
// TOMS 48(3), 2022, for the tables of Walker, ACM TOMS 3(3), 1977.
//
// sampling::alias_columns makes tables of 16 bytes per item that are exact to a double's last bit, from sums of twice
// a double's length; these are made again in every sweep, of all words, and have to be smaller and quicker to make.
void make_alias_cells(std::span<const double> weights, double sum, std::span<AliasCell> cells);

// The item at a position in [0, items): the whole part is the cell, the fraction the place in it.
inline std::uint32_t alias_item(const AliasCell* cells, std::uint32_t items, double position) {
  const std::uint32_t cell = std::min(static_cast<std::uint32_t>(position), items - 1);
  const double place = (position - cell) * 0x1p32;
  return place < static_cast<double>(cells[cell].keep) ? cell : cells[cell].other;
}

}  // namespace papilio::lda
