#pragma once

#include "collective/partial_sums/prefix.h"
#include "collective/transpose.h"

namespace papilio::inline PAPILIO_TARGET::collective {

enum class Transposition : std::uint8_t { in_registers, through_scratch };

// Prefix sums of rows that are read coalesced: each block is transposed, so that
// a lane that read a column of W rows holds W categories of its own. The sums
// are those of `PrefixSums`, bit for bit.
//
// Source: Steele and Tristan, ACM TOPC 6(4):22, 2019, Algorithm 4.
template <warp::Warp W, class T, Transposition how = Transposition::in_registers, Search search = Search::binary>
class TransposedSums {
 public:
  static constexpr std::int64_t scratch_size = W::width * scratch_stride<W>();

  PAPILIO_LANEWISE explicit TransposedSums(T* memory) : TransposedSums(memory, memory + scratch_size) {}

  // Takes the scratch, scratch_size values, and the table of PrefixSums
  // from separate places. A transposition in registers uses no scratch.
  PAPILIO_LANEWISE TransposedSums(T* scratch, T* table) : scratch_(scratch), sums_(table) {}

  static constexpr std::int64_t table_size(std::int64_t blocks) {
    return scratch_size + PrefixSums<W, T>::table_size(blocks);
  }

  PAPILIO_LANEWISE void start_after(warp::Lanes<W, T> before) { sums_.start_after(before); }

  PAPILIO_LANEWISE void add_block(Tile<W, T>& tile) {
    if constexpr (how == Transposition::in_registers)
      transpose_in_registers(tile);
    else
      transpose_through_scratch(tile, scratch_);
    sums_.add_columns(tile);
  }

  PAPILIO_LANEWISE warp::Lanes<W, T> total() const { return sums_.total(); }
  PAPILIO_LANEWISE warp::Lanes<W, std::int32_t> find(warp::Lanes<W, T> target) const { return sums_.find(target); }

 private:
  T* scratch_;
  PrefixSums<W, T, search> sums_;
};

}  // namespace papilio::inline PAPILIO_TARGET::collective
