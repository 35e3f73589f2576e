#pragma once

#include <cstdint>

#include "collective/partial_sums/partial_sums.h"
#include "collective/search.h"

namespace papilio::inline PAPILIO_TARGET::collective {

// One running sum per lane, of which every value is kept: entry k of
// lane r is the sum of categories 0 ... k of row r, added in order.
//
// K additions per row, a table of K entries per row, and a search of it.
// Source: Steele and Tristan, ACM TOPC 6(4):22, 2019, Algorithms 1 to 3.
template <warp::Warp W, class T, Search search = Search::binary>
class PrefixSums {
 public:
  PAPILIO_LANEWISE explicit PrefixSums(T* memory) : table_(memory), sum_(W::template splat<T>(0)) {}

  static constexpr std::int64_t table_size(std::int64_t blocks) { return blocks * W::width * W::width; }

  // Call it before the first category: the sums of row r begin with lane r of `before`.
  PAPILIO_LANEWISE void start_after(warp::Lanes<W, T> before) { sum_ = before; }

  // Takes the next category of each lane's row.
  PAPILIO_LANEWISE void add(warp::Lanes<W, T> weights) {
    sum_ = sum_ + weights;
    W::store(table_ + std::int64_t{count_++} * W::width, sum_);
  }

  // The next W categories as each lane's own loads leave them: lane r of
  // tile.row[i] is category i of row r.
  PAPILIO_LANEWISE void add_columns(const Tile<W, T>& tile) {
    PAPILIO_UNROLL_TILE
    for (int i = 0; i < W::width; ++i) add(tile.row[i]);
  }

  PAPILIO_LANEWISE warp::Lanes<W, T> total() const { return sum_; }

  PAPILIO_LANEWISE warp::Lanes<W, std::int32_t> find(warp::Lanes<W, T> target) const {
    if constexpr (search == Search::linear)
      return search_linear<W>(table_, {.count = count_}, target);
    else
      return search_binary<W>(table_, {.count = count_}, target);
  }

 private:
  T* table_;
  warp::Lanes<W, T> sum_;
  std::int32_t count_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::collective
