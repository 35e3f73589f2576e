#pragma once

#include <cstddef>
#include <cstdint>

#include "lda/training/sparse/parallel/batch.h"
#include "lda/training/sparse/parallel/token_weights.h"
#include "lda/training/sparse/prefix_sums_kernel.h"

// The sums of parallel/document_part_kernel.h, sixteen entries at a time, and searches in them for many tokens at a
// time.
//
// The sums of a list are a block of floats, eight at a time, one per lane: zeros, the prefix sums, and the running sums
// at each depth. The blocks of a batch have the depth of the longest list: behind its own a list's last sums are
// repeated, and no search finds what is not above the sum before.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

using namespace papilio::lda::sparse;

// Where sums are in a block.
inline constexpr std::uint32_t lane_prefixes = lanes - 1;  // 0, and the sums of lanes up to each but the last
inline constexpr std::uint32_t list_total = 2 * lanes - 1;

using Sixteen = warp::SimdWarp<16, 64>;

// phi in registers, of so many topics at most; 0: in memory, of any number.
template <int topics>
class PhiOfSixteen {
 public:
  PAPILIO_LANEWISE explicit PhiOfSixteen(const float* phi) : phi_(phi) {
    for (int i = 0; i < topics / Sixteen::width; ++i) parts_[i] = Sixteen::load(phi + i * Sixteen::width).reg[0];
  }

  PAPILIO_LANEWISE warp::Lanes<Sixteen, float> operator()(warp::Lanes<Sixteen, std::int32_t> topic) const {
    if constexpr (topics == 0) {
      return Sixteen::gather(phi_, topic);
    } else {
      return of_parts<0, topics>(topic);
    }
  }

 private:
  // Of topics [first, first + count).
  template <int first, int count>
  PAPILIO_LANEWISE warp::Lanes<Sixteen, float> of_parts(warp::Lanes<Sixteen, std::int32_t> topic) const {
    constexpr int part = first / Sixteen::width, half = count / 2;
    if constexpr (half == Sixteen::width) {
      return {{warp::simd::permute(parts_[part], parts_[part + 1], topic.reg[0])}};
    } else {
      return Sixteen::select(Sixteen::less(topic, Sixteen::splat<std::int32_t>(first + half)),
                             of_parts<first, half>(topic), of_parts<first + half, half>(topic));
    }
  }

  const float* phi_;
  Sixteen::Register<float> parts_[topics == 0 ? 1 : topics / Sixteen::width];
};

// The block of a list, its first `summed` depths by adding up: all that the list has at least.
template <class Phi>
PAPILIO_LANEWISE void add_list_by_sixteen(const NarrowEntry* entries, std::uint32_t size, std::uint32_t summed,
                                          std::uint32_t depth, const Phi& phi, float* block) {
  using W = EightLanes;
  Floats sum = W::splat<float>(0);
  W::store(block, sum);
  float* running = block + first_depth;
  const float* const summed_end = running + std::size_t{lanes} * summed;
  const float* const end = running + std::size_t{lanes} * depth;
  auto left = static_cast<std::int64_t>(size);
  PAPILIO_NO_UNROLL
  for (; running != summed_end; running += Sixteen::width) {
    const auto packed = Sixteen::load(&entries->bits, left);
    const auto counts = Sixteen::convert<float>(Sixteen::bit_cast<std::int32_t>(packed & 0xffffu));
    const auto weights = counts * phi(Sixteen::bit_cast<std::int32_t>(packed >> 16u));
    sum = sum + Floats{{warp::simd::half_of<0>(weights.reg[0])}};
    W::store(running, sum);
    sum = sum + Floats{{warp::simd::half_of<1>(weights.reg[0])}};
    W::store(running + lanes, sum);
    entries += Sixteen::width;
    left -= Sixteen::width;
  }
  W::store(block + lanes, prefix_sums(sum));
  for (; running < end; running += lanes) W::store(running, sum);
}

// below and rounded_down in every lane. Lanes without a token may hold what is not positive: so unsigned.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> below_each(warp::Lanes<W, float> x) {
  return W::template bit_cast<float>(W::template bit_cast<std::uint32_t>(x) - std::uint32_t{1});
}
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> rounded_down_each(warp::Lanes<W, double> x) {
  const auto nearest = W::template convert<float>(x);
  return W::select(W::less(x, W::template convert<double>(nearest)), below_each<W>(nearest), nearest);
}

// ListSums::find in lanes, in steps that are long chains: many lanes at a time keep a processor busy. First the
// target's lane in the block that begins `block` floats from `sums` on: where that lane begins.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, std::int32_t> find_lanes(const float* sums, warp::Lanes<W, std::int32_t> block,
                                                         warp::Lanes<W, float> target) {
  PAPILIO_UNROLL
  for (const std::int32_t half : {4, 2, 1}) {
    const auto prefix = W::gather(sums + lanes - 1 + half, block);
    block = W::select(W::less(target, prefix), block, block + half);
  }
  return block;
}

// Then the running sum that is sought in that lane.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> sought_in(const float* sums, warp::Lanes<W, std::int32_t> lane,
                                                 std::uint32_t depth, warp::Lanes<W, double> target) {
  const auto before = W::template convert<double>(W::gather(sums + lane_prefixes, lane));
  const auto rest = rounded_down_each<W>(target - before);
  const auto most = below_each<W>(W::gather(sums + first_depth + lanes * (depth - 1), lane));
  return W::select(W::less(rest, most), rest, most);
}

// Then the entry, which is as far below the beginning of its lane as it is from that of the block.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, std::int32_t> find_depths(const float* sums, warp::Lanes<W, std::int32_t> lane,
                                                          std::uint32_t depth, warp::Lanes<W, float> sought) {
  for (std::uint32_t count = depth; count > 1;) {
    const std::uint32_t half = count / 2;
    const auto sum = W::gather(sums + first_depth + lanes * (half - 1), lane);
    lane = W::select(W::less(sought, sum), lane, lane + static_cast<std::int32_t>(lanes * half));
    count -= half;
  }
  return lane;
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
