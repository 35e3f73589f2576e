#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/math.h"
#include "lda/training/sparse/parallel/entries.h"

// How much room documents' lists of topics take on a device, whatever their topics become.

namespace papilio::lda {

inline constexpr int list_unit = 16;  // bytes, in which lists are placed

// The most tokens of a document that a warp sorts or counts; longer ones are counted by a block.
inline constexpr std::int32_t longest_sorted = 512;

// A document has short entries if these leave at least least_count_bits bits for a count, and if it has too few tokens
// for more than large_counts larger counts. So larger counts are rare, and there is room for them.
inline constexpr int least_count_bits = 5;
inline constexpr std::int64_t large_counts = 8;

class ListSizes {
 public:
  ListSizes(std::int32_t topics, int entry_bytes, bool short_entries)
      : count_bits(std::clamp(16 - static_cast<int>(std::bit_width(static_cast<std::uint32_t>(topics - 1))), 0, 15)),
        topics_(topics),
        entry_bytes_(entry_bytes) {
    const bool may_be_short = short_entries && entry_bytes == 4 && count_bits >= least_count_bits;
    most_short_ = may_be_short ? std::min<std::int64_t>(longest_sorted, large_counts * mask()) : 0;
  }

  bool is_short(std::int64_t tokens) const { return tokens <= most_short_; }

  // How many units of list_unit bytes the list of a document with that many tokens takes; 0 for one token, whose list
  // is not kept. Two units are a sector of memory. Short entries for more than `lanes` tokens take whole sectors; they
  // also begin at one, because the lists of shorter documents come after them.
  std::int64_t units(std::int64_t tokens) const {
    if (tokens <= 1) return 0;
    const std::int64_t entries = base::round_up<std::int64_t>(std::min<std::int64_t>(tokens, topics_), sparse::lanes);
    if (!is_short(tokens)) return entries * entry_bytes_ / list_unit;
    if (tokens <= sparse::lanes) return 1;
    // A large count takes the place of entries that its tokens leave unused, unless there are more tokens than topics.
    const std::int64_t large = tokens > topics_ ? tokens / mask() * 4 : 0;
    return base::round_up<std::int64_t>(entries * 2 + large, 2 * list_unit) / list_unit;
  }

  const int count_bits;  // of a short entry

 private:
  std::int64_t mask() const { return (std::int64_t{1} << count_bits) - 1; }

  std::int64_t topics_;
  std::int64_t entry_bytes_;
  std::int64_t most_short_;
};

}  // namespace papilio::lda
