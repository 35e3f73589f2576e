#pragma once

#include <concepts>
#include <cstdint>

#include "collective/transpose.h"
#include "warp/warp.h"

namespace papilio::inline PAPILIO_TARGET::collective {

// What the tables of the papers have in common. They take W rows at once, in blocks of W categories; in the end lane r
// can search row r.
//
//   S sums(memory);            S::table_size(blocks) values of memory
//   sums.start_after(before);  optional, before the first block: the sums of row r begin with lane r of before
//   sums.add_block(tile);      the next W categories; lane r of tile.row[i] is
//                              category r of row i, as coalesced loads leave it
//   sums.total()               lane r: the sum of row r
//   sums.find(target)          lane r: the category of row r in whose interval of the running
//                              sums target lies, where before <= target < total
template <class S, class W, class T>
concept BlockSums = requires(S sums, Tile<W, T>& tile, warp::Lanes<W, T> target, T* memory) {
  {S(memory)};
  { S::table_size(1) } -> std::convertible_to<std::int64_t>;
  {sums.start_after(target)};
  {sums.add_block(tile)};
  { sums.total() } -> std::same_as<warp::Lanes<W, T>>;
  { sums.find(target) } -> std::same_as<warp::Lanes<W, std::int32_t>>;
};

enum class Search : std::uint8_t { linear, binary };

}  // namespace papilio::inline PAPILIO_TARGET::collective
