#pragma once

#include <cstddef>
#include <cstdint>

#include "lda/training/sparse/parallel/batch.h"
#include "lda/training/sparse/parallel/document_part_kernel.h"
#include "lda/training/sparse/parallel/token_weights.h"
#include "lda/training/sparse/prefix_sums_kernel.h"

// The sums of parallel/document_part_kernel.h for two lists at a time, and searches in these
// sums for sixteen tokens at a time.
//
// The running sums of two lists form a block (parallel/batch.h), with the first list's in lanes 0 to 7 of each row. All
// blocks of a batch have the depth of the longest list; beyond its own depth a list's last sums are repeated, and no
// search finds those. The prefix sums over lanes are stored apart, with eight zeros before those of each list.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

using namespace papilio::lda::sparse;

// Where values are among the prefix sums of a list.
inline constexpr std::uint32_t prefix_floats = 2 * lanes;
inline constexpr std::uint32_t lane_prefixes = lanes - 1;  // 0, and the sums of the lanes up to each but the last
inline constexpr std::uint32_t list_total = 2 * lanes - 1;

using Sixteen = warp::SimdWarp<16, 64>;

// phi of the topics of sixteen entries, eight of each of two lists. Each of these classes returns the same values.

// In memory, read by one gather.
class GatheredPhi {
 public:
  PAPILIO_LANEWISE explicit GatheredPhi(const float* phi) : phi_(phi) {}

  PAPILIO_LANEWISE warp::Lanes<Sixteen, float> operator()(warp::Lanes<Sixteen, std::int32_t> topics, const NarrowEntry*,
                                                          const NarrowEntry*) const {
    return Sixteen::gather(phi_, topics);
  }

 private:
  const float* phi_;
};

// In memory, read by sixteen loads.
class LoadedPhi {
 public:
  PAPILIO_LANEWISE explicit LoadedPhi(const float* phi) : phi_(phi) {}

  PAPILIO_LANEWISE warp::Lanes<Sixteen, float> operator()(warp::Lanes<Sixteen, std::int32_t>, const NarrowEntry* first,
                                                          const NarrowEntry* second) const {
    auto half = phi_of(first, phi_).reg[0];
    // The second list's topics are not read before this: sixteen of them would not fit into the general registers.
    asm("" : "+r"(second), "+x"(half));
    return {{warp::simd::both(half, phi_of(second, phi_).reg[0])}};
  }

 private:
  const float* phi_;
};

// AMD's processors, up to Zen 5, execute a gather of sixteen as some eighty steps, which takes longer than the loads.
PAPILIO_LANEWISE bool gathers_are_slow() { return __builtin_cpu_is("amd") != 0; }

// In registers, for at most this many topics.
template <int topics>
class PhiInRegisters {
 public:
  PAPILIO_LANEWISE explicit PhiInRegisters(const float* phi) {
    for (int i = 0; i < topics / Sixteen::width; ++i) parts_[i] = Sixteen::load(phi + i * Sixteen::width).reg[0];
  }

  PAPILIO_LANEWISE warp::Lanes<Sixteen, float> operator()(warp::Lanes<Sixteen, std::int32_t> topic, const NarrowEntry*,
                                                          const NarrowEntry*) const {
    return of_parts<0, topics>(topic);
  }

 private:
  // For topics [first, first + count), a power of two: one bit of a topic says in which half it is.
  template <int first, int count>
  PAPILIO_LANEWISE warp::Lanes<Sixteen, float> of_parts(warp::Lanes<Sixteen, std::int32_t> topic) const {
    constexpr int part = first / Sixteen::width, half = count / 2;
    if constexpr (half == Sixteen::width) {
      return {{warp::simd::permute(parts_[part], parts_[part + 1], topic.reg[0])}};
    } else {
      const auto is_lower =
          _mm512_testn_epi32_mask(warp::simd::bit_cast<__m512i>(topic.reg[0]), _mm512_set1_epi32(half));
      return Sixteen::select({is_lower}, of_parts<first, half>(topic), of_parts<first + half, half>(topic));
    }
  }

  Sixteen::Register<float> parts_[topics / Sixteen::width];
};

// Entries beyond its depth may be read, but are not used.
struct DeepList {
  const NarrowEntry* entries;
  std::uint32_t depth;
};

// Fills the block of two lists. The first `summed` depths, which both lists have, are added up without a check.
template <class Phi>
PAPILIO_LANEWISE void add_two_lists(const DeepList (&lists)[2], std::uint32_t summed, std::uint32_t depth,
                                    const Phi& phi, float* block, float* prefixes) {
  using W = Sixteen;
  const auto none = W::splat<float>(0);
  auto sum = none;
  W::store(block, sum);
  float* running = block + row_of_two;
  const float* const summed_end = running + std::size_t{row_of_two} * summed;
  const float* const end = running + std::size_t{row_of_two} * depth;
  const NarrowEntry *first = lists[0].entries, *second = lists[1].entries;
  // The number of depths that each list still has, in its lanes.
  auto left = W::select({0xffu}, W::splat(static_cast<std::int32_t>(lists[0].depth)),
                        W::splat(static_cast<std::int32_t>(lists[1].depth)));
  PAPILIO_NO_UNROLL
  for (; running != summed_end; first += lanes, second += lanes, running += row_of_two) {
    const warp::Lanes<W, std::uint32_t> packed = {
        {warp::simd::both(EightLanes::load(&first->bits).reg[0], EightLanes::load(&second->bits).reg[0])}};
    const auto counts = W::convert<float>(W::bit_cast<std::int32_t>(packed & 0xffffu));
    const auto is_entry = W::less(W::splat<std::int32_t>(0), left);
    left = left - 1;
    const auto values = phi(W::bit_cast<std::int32_t>(packed >> 16u), first, second);
    sum = sum + W::select(is_entry, counts * values, none);
    W::store(running, sum);
  }
  const auto prefix = prefix_sums<W>(sum);
  EightLanes::store(prefixes + lanes, Floats{{warp::simd::half_of<0>(prefix.reg[0])}});
  EightLanes::store(prefixes + prefix_floats + lanes, Floats{{warp::simd::half_of<1>(prefix.reg[0])}});
  for (; running < end; running += row_of_two) W::store(running, sum);
}

// `below` in every lane; compares as unsigned, because lanes without a token may hold numbers that are not positive.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> below_each(warp::Lanes<W, float> x) {
  return W::template bit_cast<float>(W::template bit_cast<std::uint32_t>(x) - std::uint32_t{1});
}

// The depth that ListSums::find finds, times eight, in lanes. This is a long chain of loads, so many lanes at a time
// keep a processor busy. `column`: where the lane of the list begins in the block.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, std::int32_t> find_depths(const float* sums, warp::Lanes<W, std::int32_t> column,
                                                          std::uint32_t depth, warp::Lanes<W, float> sought) {
  auto row = column;
  for (std::uint32_t count = depth; count > 1;) {
    const std::uint32_t half = count / 2;
    const auto sum = W::gather(sums + row_of_two * half, row);
    row = W::select(W::less(sought, sum), row, row + static_cast<std::int32_t>(row_of_two * half));
    count -= half;
  }
  return (row - column) >> std::int32_t{1};
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
