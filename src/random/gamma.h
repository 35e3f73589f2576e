#pragma once

#include <cstdint>

#include "random/elementary_lanes.h"
#include "random/normal_lanes.h"
#include "random/philox.h"
#include "warp/warp.h"

// Gamma draws of scale 1 in float, from counter-based random numbers: a lane is an
// entry (row, column) of a table, whose draw depends on its shape, its place and
// nothing else. docs/numerics.md has the derivation, the errors and the random numbers used.
//
// For a shape a >= 1: with d = a - 1/3, c = 1 / sqrt(9 d), x normal and y = c x, the
// candidate d (1 + y)^3 is accepted with probability exp(h), h = -d y^4 G(y),
// G(y) = -3 (ln(1 + y) - y + y^2 / 2 - y^3 / 3) / y^4. Nineteen in twenty are, and
// nearly all of these by a polynomial. For a < 1: a draw of a + 1, times U^(1 / a).
//
// Source: Marsaglia and Tsang, "A simple method for generating gamma variables", ACM
// Transactions on Mathematical Software 26(3), 2000, sections 3 and 6.

namespace papilio::inline PAPILIO_TARGET::random {

// The random numbers of a row. What tells rows apart is a random block drawn for the row's
// number, not the number itself: so columns and attempts have a whole word of the counter each.
struct GammaBlocks {
  std::uint32_t key[2];
  std::uint32_t row[3];
};

PAPILIO_LANEWISE GammaBlocks gamma_blocks(std::uint64_t seed, std::uint64_t stream, std::uint64_t row) {
  const Block block = draw_block(seed, stream, row);
  return {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
          {block.word[1], block.word[2], block.word[3]}};
}

// Columns 128 t + l + 32 i, i < 4, form group 32 t + l. One block serves all four: word i is for the i-th.
inline constexpr int gamma_tile = 128;
inline constexpr int gamma_groups = 32;

// What the blocks of a group's first attempt are for.
enum class GammaPart : std::uint32_t { normal = 0, acceptance = 1, power = 2 };

template <warp::Warp W>
PAPILIO_LANEWISE BlockOf<warp::Lanes<W, std::uint32_t>> gamma_block(const GammaBlocks& blocks, GammaPart part,
                                                                    warp::Lanes<W, std::uint32_t> group) {
  const auto splat = [](std::uint32_t x) { return W::template splat<std::uint32_t>(x); };
  return philox4x32(
      BlockOf<warp::Lanes<W, std::uint32_t>>{{group + (static_cast<std::uint32_t>(part) << 30), splat(blocks.row[0]),
                                              splat(blocks.row[1]), splat(blocks.row[2])}},
      blocks.key[0], blocks.key[1]);
}

// The block of attempt number 1, 2, ... of one column: words 0 and 1 make its normal number, word 2 decides acceptance.
template <warp::Warp W>
PAPILIO_LANEWISE BlockOf<warp::Lanes<W, std::uint32_t>> gamma_retry_block(const GammaBlocks& blocks,
                                                                          warp::Lanes<W, std::uint32_t> column,
                                                                          warp::Lanes<W, std::uint32_t> attempt) {
  const auto splat = [](std::uint32_t x) { return W::template splat<std::uint32_t>(x); };
  return philox4x32(BlockOf<warp::Lanes<W, std::uint32_t>>{{column, attempt + blocks.row[0], splat(blocks.row[1]),
                                                            splat(blocks.row[2])}},
                    blocks.key[0], blocks.key[1]);
}

// The normal numbers of the four columns of a group.
template <warp::Warp W>
struct FourNormals {
  warp::Lanes<W, float> at[4];
};
template <warp::Warp W>
PAPILIO_LANEWISE FourNormals<W> four_normals(const BlockOf<warp::Lanes<W, std::uint32_t>>& block) {
  const auto low = normal_pair<W>(block.word[0], block.word[1]), high = normal_pair<W>(block.word[2], block.word[3]);
  return {{low.first, low.second, high.first, high.second}};
}

// A candidate d (1 + y)^3, and the uniform number u that accepts it or not.
template <warp::Warp W>
struct GammaCandidate {
  warp::Lanes<W, float> d, y, u;
};

// d of a shape; if the shape is below 1, d of the shape + 1.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> gamma_d(warp::Lanes<W, float> shape) {
  const auto one = W::template splat<float>(1), zero = W::template splat<float>(0);
  return (shape + W::select(W::less(shape, one), one, zero)) - 0x1.555556p-2f;  // 1/3
}

template <warp::Warp W>
PAPILIO_LANEWISE GammaCandidate<W> gamma_candidate(warp::Lanes<W, float> d, warp::Lanes<W, float> normal,
                                                   warp::Lanes<W, std::uint32_t> acceptance_word) {
  return {d, normal * (reciprocal_sqrt<W>(d) * 0x1.555556p-2f), open_uniform<W>(acceptance_word)};
}

// The draw, still without the factor U^(1 / a) of a shape below 1.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> gamma_value(const GammaCandidate<W>& candidate) {
  const auto root = candidate.y + 1.0f;
  return candidate.d * (root * root * root);
}

// Whether u < 1 - d y^4 p(y), where p is a little above G. If so, u < exp(h);
// and this test finds all but one in a hundred of the cases in which u < exp(h).
template <warp::Warp W>
PAPILIO_LANEWISE warp::Mask<W> accepted_by_squeeze(const GammaCandidate<W>& candidate) {
  constexpr float above[] = {0x1.806b68p-1f, -0x1.1f8716p-1f, 0x1.efd4a2p-1f, -0x1.0e3e72p+0f, 0x1.738116p-2f};
  const auto& [d, y, u] = candidate;
  const auto square = y * y;
  const auto excess = (d * (square * square)) * polynomial<W>(above, y);
  return W::less(excess + u, W::template splat<float>(1)) & W::less(W::template splat<float>(-0.85f), y);
}

// Whether u < exp(h).
template <warp::Warp W>
PAPILIO_LANEWISE warp::Mask<W> accepted_exactly(const GammaCandidate<W>& candidate) {
  constexpr float minus_g[] = {-0x1.800000p-1f, 0x1.333238p-1f,  -0x1.fffd32p-2f, 0x1.b77cd8p-2f, -0x1.80b4dep-2f,
                               0x1.479882p-2f,  -0x1.253656p-2f, 0x1.820f6ep-2f,  -0x1.671facp-2f};
  constexpr float ln2 = 0x1.62e43p-1f;
  const auto& [d, y, u] = candidate;
  const auto splat = [](float x) { return W::template splat<float>(x); };
  const auto square = y * y;
  const auto small = (square * square) * polynomial<W>(minus_g, y);
  const auto others = W::fma(square, W::fma(y, splat(-1), splat(1.5f)), y * -3.0f);  // -3 y + 3 y^2 / 2 - y^3
  const auto large = W::fma(log2<W>(y + 1.0f), splat(3 * ln2), others);
  const auto h = d * W::select(W::less(square, splat(0.16f)), small, large);
  return W::less(log2<W>(u) * ln2, h) & W::less(splat(-1), y);
}

// About 1 / a, 0 < a < 1.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> gamma_inverse(warp::Lanes<W, float> a) {
  const auto root = reciprocal_sqrt<W>(a);
  return root * root;
}

// U^(1 / a), the factor of a shape a < 1, whose `inverse` is gamma_inverse(a).
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> gamma_power(warp::Lanes<W, float> inverse,
                                                   warp::Lanes<W, std::uint32_t> power_word) {
  return exp2_or_zero<W>((minus_log2_of_word<W>(power_word) * -1.0f) * inverse);
}

}  // namespace papilio::inline PAPILIO_TARGET::random
