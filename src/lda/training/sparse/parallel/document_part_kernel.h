#pragma once

#include <cstddef>
#include <cstdint>

#include "lda/training/sparse/parallel/batch.h"
#include "lda/training/sparse/parallel/token_weights.h"
#include "lda/training/sparse/prefix_sums_kernel.h"

// The sum of a document's list times phi, in eight lanes, and the search in these sums.
//
// Entry i = 8 j + l is in lane l at depth j. Each lane adds its entries from the top down, and all running sums
// are kept. The lanes' sums get prefix sums by divide and conquer, in which no prefix is below the previous one,
// and equals it if the lane is empty.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

using namespace papilio::lda::sparse;

static_assert(EightLanes::width == lanes);

struct ListSums {
  float prefix_from_0[1 + lanes];  // 0, and the prefix sums over the lanes
  std::uint32_t depth;
  const float* running;  // depth x lanes, preceded by a row of zeros

  PAPILIO_LANEWISE double total() const { return double{prefix_from_0[lanes]}; }

  PAPILIO_LANEWISE EntryPart part(std::uint32_t entry) const {
    const float* sum = running + entry;
    return entry_part(prefix_from_0[entry % lanes], sum[-static_cast<std::ptrdiff_t>(lanes)], *sum);
  }

  // The entry into which a target below the total falls, never one of weight 0. `steps` halvings reduce any depth to 1.
  PAPILIO_LANEWISE std::uint32_t find(double target, int steps) const {
    using W = EightLanes;
    const auto above = W::less(W::template splat<float>(rounded_down(target)), W::load(prefix_from_0 + 1));
    const auto l = static_cast<std::uint32_t>(__builtin_ctzll(W::bits(above)));
    // Rounding may leave more than the lane holds: then take the last entry that has increased the lane's sum.
    const float rest = rounded_down(target - double{prefix_from_0[l]});
    const float most = below(running[lanes * (depth - 1) + l]);
    // Floats >= 0 have the same order as their bits.
    const std::int32_t end = __builtin_bit_cast(std::int32_t, rest < most ? rest : most) + 1;
    const float* low = running + l;
    std::size_t count = depth;
    for (; steps > 0; --steps) {
      const std::size_t half = count / 2;
      const float* const next = low + lanes * half;
      const bool is_below = __builtin_bit_cast(std::int32_t, *(next - lanes)) < end;
      low = __builtin_expect_with_probability(is_below, true, 0.5) ? next : low;  // no branch
      count -= half;
    }
    return static_cast<std::uint32_t>(low - running);
  }
};

// phi of the entries' topics, by eight loads: on several processors gathers are slower.
template <class Entry>
PAPILIO_LANEWISE Floats phi_of(const Entry* entries, const float* phi) {
  return EightLanes::generate<float>([&](int l) { return phi[entries[l].topic()]; });
}

PAPILIO_LANEWISE Floats weights(const NarrowEntry* entries, const float* phi) {
  using W = EightLanes;
  const auto packed = W::load(&entries->bits);
  const auto counts = W::template bit_cast<std::int32_t>(packed & 0xffffu);
  return W::template convert<float>(counts) * phi_of(entries, phi);
}

PAPILIO_LANEWISE Floats weights(const WideEntry* entries, const float* phi) {
  const auto counts =
      EightLanes::generate<std::int32_t>([&](int l) { return static_cast<std::int32_t>(entries[l].count()); });
  return EightLanes::convert<float>(counts) * phi_of(entries, phi);
}

// The sums of a list of sums.depth x lanes entries, in memory with room for one more row. Returns the end of the sums.
template <class Entry>
PAPILIO_LANEWISE float* add_list(const Entry* entries, const float* phi, float* running, ListSums& sums) {
  using W = EightLanes;
  Floats sum = W::template splat<float>(0);
  W::store(running, sum);
  running += lanes;
  sums.running = running;
  for (const Entry* end = entries + std::size_t{lanes} * sums.depth; entries != end; entries += lanes) {
    sum = sum + weights(entries, phi);
    W::store(running, sum);
    running += lanes;
  }
  sums.prefix_from_0[0] = 0;
  W::store(sums.prefix_from_0 + 1, prefix_sums<W>(sum));
  return running;
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
