#pragma once

#include <cstdint>
#include <type_traits>

#include "collective/transpose.h"
#include "printed_draw.h"
#include "random/uniform_lanes.h"
#include "warp/warp.h"

// Algorithms 1, 4 and 7 of Steele and Tristan, ACM TOPC 6(4):22, 2019, line by line, with their code chunks
// (Algorithms 3, 5, 6, 8, 9, 10): a lane is a document, whose tokens it draws one after the other. What is not as
// printed is what has to be corrected (docs/butterfly.md lists it), and Algorithm 6's exchange through memory, which
// the article replaced by one in registers for its Figures 11 and 12. The library draws by other forms of these
// methods; these are for comparison. One source for every warp, so that it is tested on a CPU.

namespace papers::inline PAPILIO_TARGET {

using papilio::warp::Lanes;

// An array per lane, of entries of the lane's own. Where `own`, a lane is a thread and has the memory to itself (a
// local array of CUDA); else entry j of lane r is memory[j W + r].
template <class W, class T, bool own>
class LaneArray {
 public:
  PAPILIO_LANEWISE explicit LaneArray(T* memory) : memory_(memory) {}

  PAPILIO_LANEWISE void set(std::int32_t j, Lanes<W, T> value) const {
    if constexpr (own)
      memory_[j] = value;
    else
      W::store(memory_ + j * W::width, value);
  }
  PAPILIO_LANEWISE Lanes<W, T> get(std::int32_t j) const {
    if constexpr (own)
      return memory_[j];
    else
      return W::load(memory_ + j * W::width);
  }
  // An entry that differs from lane to lane.
  PAPILIO_LANEWISE Lanes<W, T> gather(Lanes<W, std::int32_t> j) const {
    if constexpr (own)
      return memory_[j];
    else
      return W::gather(memory_, j * W::width + W::lane_id());
  }

 private:
  T* memory_;
};

// to[place] = value in the lanes that are on.
template <class W>
PAPILIO_LANEWISE void scatter(std::int32_t* to, Lanes<W, std::int32_t> place, Lanes<W, std::int32_t> value,
                              papilio::warp::Mask<W> on) {
  if constexpr (std::is_same_v<Lanes<W, std::int32_t>, std::int32_t>) {
    if (W::select(on, 1, 0) != 0) to[place] = value;
  } else {
    for (int l = 0; l < W::width; ++l)
      if (on.at[l]) to[place.at[l]] = value.at[l];
  }
}

// The random number of a token: 24 bits for float, 53 for double, as the library has them.
template <class W, class T>
PAPILIO_LANEWISE Lanes<W, T> uniform_of(const PrintedDraw<T>& draw, Lanes<W, std::int32_t> token) {
  const auto block = papilio::random::draw_blocks<W>(draw.seed, draw.stream, W::template bit_cast<std::uint32_t>(token),
                                                     W::template splat<std::uint32_t>(0));
  if constexpr (sizeof(T) == 8)
    return papilio::random::uniform53<W>(block.word[0], block.word[1]);
  else
    return W::template convert<float>(W::template bit_cast<std::int32_t>(block.word[1] >> 8u)) * 0x1p-24f;
}

// Algorithm 3: the first entry that exceeds the target.
template <class W, class T, class Array>
PAPILIO_LANEWISE Lanes<W, std::int32_t> search_table(const Array& p, std::int32_t K, Lanes<W, T> target) {
  auto j = W::template splat<std::int32_t>(0), k = W::template splat<std::int32_t>(K - 1);
  while (W::bits(W::less(j, k)) != 0) {
    const auto searching = W::less(j, k);
    const auto mid = (j + k) >> 1;
    const auto below = W::less(target, p.gather(mid));
    k = W::select(searching & below, mid, k);
    j = W::select(searching & !below, mid + 1, j);
  }
  return j;
}

// Algorithm 1's sums: entry k is that of topics 0 ... k. Returns the total.
template <class W, class T, class Array>
PAPILIO_LANEWISE Lanes<W, T> plain_sums(const PrintedDraw<T>& draw, Lanes<W, std::int32_t> document,
                                        Lanes<W, std::int32_t> word, const Array& p) {
  auto sum = W::template splat<T>(0);
  for (std::int32_t k = 0; k < draw.topics; ++k) {
    sum =
        sum + W::gather(draw.theta, document * draw.theta_stride + k) * W::gather(draw.phi, word * draw.phi_stride + k);
    p.set(k, sum);
  }
  return sum;
}

// Algorithm 5: theta_local of lane r at j + k is topic j + r of the group's document k, so that loads are coalesced.
template <class W, class T, class Array>
PAPILIO_LANEWISE void cache_theta(const PrintedDraw<T>& draw, std::int32_t q, const Array& theta_local) {
  const std::int32_t remnant = draw.topics % W::width;
  const auto row = (W::lane_id() + q * W::width) * draw.theta_stride;
  for (std::int32_t j = 0; j < remnant; ++j) theta_local.set(j, W::gather(draw.theta, row + j));
  const T* const first_row = draw.theta + std::int64_t{q} * W::width * draw.theta_stride;
  for (std::int32_t j = remnant; j < draw.topics; j += W::width)
    for (std::int32_t k = 0; k < W::width; ++k)
      theta_local.set(j + k, W::load(first_row + std::int64_t{k} * draw.theta_stride + j));
}

// The words that the lanes draw for, in every lane: Algorithm 6's c_warp in registers, as in Algorithm 8.
template <class W>
struct WordsOfWarp {
  std::int32_t at[W::width];
  PAPILIO_LANEWISE explicit WordsOfWarp(Lanes<W, std::int32_t> word) {
    W::for_each_lane(word, [&](int k, std::int32_t c) { at[k] = c; });
  }
};

// The remnant's sums (lines 7 to 12 of Algorithms 6 and 8): each lane reads its own row.
template <class W, class T, class Theta, class Array>
PAPILIO_LANEWISE Lanes<W, T> remnant_sums(const PrintedDraw<T>& draw, Lanes<W, std::int32_t> word,
                                          const Theta& theta_local, const Array& p) {
  auto sum = W::template splat<T>(0);
  for (std::int32_t j = 0; j < draw.topics % W::width; ++j) {
    sum = sum + theta_local.get(j) * W::gather(draw.phi, word * draw.phi_stride + j);
    p.set(j, sum);
  }
  return sum;
}

// A block of products: lane r of row k is topic j + r for the token of lane k.
template <class W, class T, class Theta>
PAPILIO_LANEWISE void load_products(const PrintedDraw<T>& draw, const WordsOfWarp<W>& words, const Theta& theta_local,
                                    std::int32_t j, papilio::collective::Tile<W, T>& a) {
  PAPILIO_UNROLL_TILE
  for (int k = 0; k < W::width; ++k)
    a.row[k] = theta_local.get(j + k) * W::load(draw.phi + std::int64_t{words.at[k]} * draw.phi_stride + j);
}

// Algorithm 6, whose a_local is exchanged in registers by Figure 2.
template <class W, class T, class Theta, class Array>
PAPILIO_LANEWISE Lanes<W, T> transposed_sums(const PrintedDraw<T>& draw, Lanes<W, std::int32_t> word,
                                             const Theta& theta_local, const Array& p) {
  const WordsOfWarp<W> words(word);
  auto sum = remnant_sums<W>(draw, word, theta_local, p);
  for (std::int32_t j = draw.topics % W::width; j < draw.topics; j += W::width) {
    papilio::collective::Tile<W, T> a;
    load_products(draw, words, theta_local, j, a);
    papilio::collective::transpose_in_registers(a);
    PAPILIO_UNROLL_TILE
    for (int k = 0; k < W::width; ++k) {
      sum = sum + a.row[k];
      p.set(j + k, sum);
    }
  }
  return sum;
}

// Algorithm 8: the butterfly that adds or subtracts (Figure 8's).
template <class W, class T, class Theta, class Array>
PAPILIO_LANEWISE Lanes<W, T> butterfly_sums(const PrintedDraw<T>& draw, Lanes<W, std::int32_t> word,
                                            const Theta& theta_local, const Array& p) {
  const WordsOfWarp<W> words(word);
  auto sum = remnant_sums<W>(draw, word, theta_local, p);
  for (std::int32_t j = draw.topics % W::width; j < draw.topics; j += W::width) {
    papilio::collective::Tile<W, T> a;
    load_products(draw, words, theta_local, j, a);
    PAPILIO_UNROLL
    for (int bit = 1; bit < W::width; bit *= 2) {
      const auto odd = W::lane_has_bit(bit);
      PAPILIO_UNROLL_TILE
      for (int d = bit - 1; d < W::width; d += 2 * bit) {
        const auto h = W::select(odd, a.row[d], a.row[d + bit]);
        const auto v = W::shuffle_xor(h, bit);
        a.row[d] = W::select(odd, a.row[d + bit], a.row[d]);
        a.row[d + bit] = a.row[d] + v;
        p.set(j + d, a.row[d]);
      }
    }
    sum = sum + a.row[W::width - 1];
    p.set(j + W::width - 1, sum);
  }
  return sum;
}

// Algorithm 10: lanes offer one another the entries that they look for.
template <class W, class T, class Array>
PAPILIO_LANEWISE Lanes<W, std::int32_t> search_block(const Array& p, Lanes<W, std::int32_t> base, Lanes<W, T> target) {
  const auto r = W::lane_id();
  const auto zero = W::template splat<std::int32_t>(0);
  const auto follows = W::less(zero, base);
  auto low = W::select(follows, p.gather(W::select(follows, base + -1, zero)), W::template splat<T>(0));
  auto high = p.gather(base + (W::width - 1));
  auto flip = zero;
  PAPILIO_UNROLL
  for (int bit = W::width / 2; bit > 0; bit /= 2) {
    const std::int32_t mask = ((W::width - 1) * (2 * bit)) & (W::width - 1);
    auto y = W::template splat<T>(0);
    PAPILIO_UNROLL
    for (int d = bit - 1; d < W::width; d += 2 * bit) {
      const auto him = (r & ~mask) + (d & mask);
      const auto his_base = W::shuffle(base, him);
      const auto t = W::shuffle(p.gather(his_base + d), r ^ flip);
      y = W::select(W::equal((r ^ d) & mask, zero), t, y);
    }
    const auto middle = W::select(W::lane_has_bit(bit), high - y, low + y);
    const auto left = W::less(target, middle);
    high = W::select(left, middle, high);
    low = W::select(left, low, middle);
    flip = flip ^ W::select(left, r & bit, (r & bit) ^ bit);
  }
  return base + (flip ^ r);
}

// Algorithm 9.
template <class W, class T, class Array>
PAPILIO_LANEWISE Lanes<W, std::int32_t> search_butterfly_table(const Array& p, std::int32_t K, Lanes<W, T> target) {
  const std::int32_t remnant = K % W::width;
  auto j = W::template splat<std::int32_t>(0), k = W::template splat<std::int32_t>(K / W::width - 1);
  while (W::bits(W::less(j, k)) != 0) {
    const auto searching = W::less(j, k);
    const auto mid = (j + k) >> 1;
    const auto below = W::less(target, p.gather(mid * W::width + (remnant + W::width - 1)));
    k = W::select(searching & below, mid, k);
    j = W::select(searching & !below, mid + 1, j);
  }
  const auto base = j * W::width + remnant;
  auto found = W::template splat<std::int32_t>(remnant - 1);
  if (K >= W::width) found = search_block<W>(p, base, target);
  if (remnant > 0) {
    // Not in a block after all: the first of the remnant's sums that exceeds the target.
    auto inside = W::less(target, p.get(remnant - 1));
    auto first = W::template splat<std::int32_t>(remnant - 1);
    for (std::int32_t i = remnant - 2; i >= 0; --i)
      first = W::select(W::less(target, p.get(i)), W::template splat<std::int32_t>(i), first);
    found = W::select(inside, first, found);
  }
  return found;
}

// The tokens of a group of W documents. theta_local has K entries per lane (Algorithm 1 needs none), and so has p.
template <Printed how, class W, class T, class Theta, class Array>
PAPILIO_LANEWISE void draw_group(const PrintedDraw<T>& draw, std::int32_t q, const Theta& theta_local, const Array& p) {
  const auto zero = W::template splat<std::int32_t>(0);
  const auto length = W::load(draw.lengths + q * W::width);
  const auto first = W::load(draw.first + q * W::width);
  const auto exists = W::less(zero, length);
  const auto last = W::select(exists, length + -1, zero);
  if constexpr (how != Printed::algorithm_1) cache_theta<W>(draw, q, theta_local);
  for (std::int32_t i_master = 0;; ++i_master) {
    const auto master = W::template splat<std::int32_t>(i_master);
    if (W::bits(W::less(master, length)) == 0) break;
    const auto token = first + W::select(W::less(master, last), master, last);
    const auto word = W::gather(draw.words, token);
    Lanes<W, T> sum;
    if constexpr (how == Printed::algorithm_1)
      sum = plain_sums<W>(draw, W::lane_id() + q * W::width, word, p);
    else if constexpr (how == Printed::algorithm_4)
      sum = transposed_sums<W>(draw, word, theta_local, p);
    else
      sum = butterfly_sums<W>(draw, word, theta_local, p);
    const auto target = sum * uniform_of<W>(draw, token);
    Lanes<W, std::int32_t> j;
    if constexpr (how == Printed::algorithm_1 || how == Printed::algorithm_4)
      j = search_table<W>(p, draw.topics, target);
    else
      j = search_butterfly_table<W>(p, draw.topics, target);
    scatter<W>(draw.z, token, j, exists);
  }
}

}  // namespace papers::inline PAPILIO_TARGET
