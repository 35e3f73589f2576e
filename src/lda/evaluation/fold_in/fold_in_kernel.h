#pragma once

#include <cstdint>

#include "lda/evaluation/fold_in/fold_in_formulas.h"
#include "lda/evaluation/fold_in/kernels.h"
#include "warp/native_warp.h"

namespace papilio::inline PAPILIO_TARGET::fold_in_kernel {

using lda::fold_in::block;

inline constexpr int register_lanes = warp::register_bytes / static_cast<int>(sizeof(double));
inline constexpr int registers = block / register_lanes;  // per block
using Register = warp::simd::Vector<double, register_lanes>;

// Eight sums.
struct Block {
  Register part[registers] = {};

  // sum += numbers[index] * factor, for eight of them.
  PAPILIO_LANEWISE void add(const double* numbers, const std::int32_t* index, const double* factors) {
    for (int r = 0; r < registers; ++r) {
      const auto number = warp::simd::generate<Register>([&](int i) { return numbers[index[i]]; }, r * register_lanes);
      part[r] += number * warp::simd::load<Register>(factors + r * register_lanes);
    }
  }

  // sum += number * factor, with eight factors.
  PAPILIO_LANEWISE void add(double number, const double* factors) {
    for (int r = 0; r < registers; ++r) part[r] += number * warp::simd::load<Register>(factors + r * register_lanes);
  }

  // sum += number * factor, for the first eight of both.
  PAPILIO_LANEWISE void add(const double* numbers, const double* factors) {
    for (int r = 0; r < registers; ++r) {
      part[r] += warp::simd::load<Register>(numbers + r * register_lanes) *
                 warp::simd::load<Register>(factors + r * register_lanes);
    }
  }

  PAPILIO_LANEWISE void add(const Block& other) {
    for (int r = 0; r < registers; ++r) part[r] += other.part[r];
  }

  PAPILIO_LANEWISE double operator[](int lane) const { return part[lane / register_lanes][lane % register_lanes]; }
};

using SixteenLanes = warp::SimdWarp<lda::list_lanes, warp::register_bytes>;

// Copies those of 64 numbers whose bits are set, in order; returns how many. `out` has room for 16 more.
PAPILIO_LANEWISE int pack(std::uint64_t bits, const std::int32_t* numbers, std::int32_t* out) {
  int size = 0;
#if defined(__AVX512F__)
  for (; bits != 0; bits >>= 16, numbers += 16) {
    const auto mask = static_cast<__mmask16>(bits);
    _mm512_storeu_si512(out + size, _mm512_maskz_compress_epi32(mask, _mm512_loadu_si512(numbers)));
    size += __builtin_popcount(mask);
  }
#else
  for (; bits != 0; bits &= bits - 1) out[size++] = numbers[__builtin_ctzll(bits)];
#endif
  return size;
}

// Lists the topics of a row of K counts that are above 0, in the order of lists; returns how many. `levels` has room
// for the topics of a range, `list` for 16 more than K.
inline std::int64_t list_topics(const std::int32_t* row, std::int32_t topics, std::int32_t* levels,
                                std::int32_t* list) {
  using W = SixteenLanes;
  const std::int32_t per_range = lda::topics_per_range(topics);
  const auto zeros = W::splat<std::int32_t>(0), none = W::splat<std::int32_t>(-1);
  std::int64_t size = 0;
  for (std::int32_t range = 0; range < topics; range += per_range) {
    const std::int32_t behind = topics - range < per_range ? topics : range + per_range;
    int used = 0;  // levels in use; level i has the i-th topic of each residue, or -1
    for (std::int32_t first = range; first < behind; first += W::width) {
      const auto counts = topics - first < W::width ? W::load(row + first, topics - first) : W::load(row + first);
      W::Mask has = W::less<std::int32_t>(zeros, counts);
      const auto here = W::lane_id() + first;
      for (int i = 0; i < 2 || W::bits(has) != 0; ++i) {
        std::int32_t* const level = levels + i * W::width;
        if (i == used) {
          W::store(level, W::select<std::int32_t>(has, here, none));
          ++used;
          break;
        }
        const auto before = W::load(level);
        const W::Mask is_free = W::less<std::int32_t>(before, zeros);
        W::store(level, W::select<std::int32_t>(has & is_free, here, before));
        has = has & !is_free;
      }
    }
    std::uint64_t bits = 0;
    for (int i = 0; i < used; ++i) {
      const auto level = W::load(levels + i * W::width);
      bits |= W::bits(!W::less<std::int32_t>(level, zeros)) << (i % 4 * W::width);
      if (i % 4 < 3 && i + 1 < used) continue;
      size += pack(bits, levels + i / 4 * 4 * W::width, list + size);
      bits = 0;
    }
  }
  return size;
}

inline void sum_lists(const lda::fold_in::Lists& lists, const double* weights, double* sums) {
  static_assert(lda::list_lanes == 2 * block);
  for (std::int64_t i = 0; i < lists.count; ++i) {
    const lda::fold_in::List& list = lists.lists[i];
    const std::int32_t* topics = lists.topics + list.begin;
    const double* counts = lists.counts + list.begin;
    Block low, high;
    std::int32_t b = 0;
    if (list.has_all) {
      for (; b + 1 < list.blocks; b += 2) {
        low.add(weights + b * block, counts + b * block);
        high.add(weights + (b + 1) * block, counts + (b + 1) * block);
      }
      if (b < list.blocks) low.add(weights + b * block, counts + b * block);
    } else {
      for (; b + 1 < list.blocks; b += 2) {
        low.add(weights, topics + b * block, counts + b * block);
        high.add(weights, topics + (b + 1) * block, counts + (b + 1) * block);
      }
      if (b < list.blocks) low.add(weights, topics + b * block, counts + b * block);
    }
    low.add(high);
    // By halves.
    sums[list.word] = ((low[0] + low[4]) + (low[2] + low[6])) + ((low[1] + low[5]) + (low[3] + low[7]));
  }
}

inline void sum_slices(const lda::fold_in::TopicSlices& slices, const double* factors, double* shares) {
  for (std::int64_t s = 0; s < slices.count; ++s) {
    const lda::fold_in::TopicSlice& slice = slices.slices[s];
    const std::int32_t* words = slices.words + slice.begin;
    const double* counts = slices.counts + slice.begin;
    Block sums;
    if (slice.has_all) {
      for (std::int64_t i = 0; i < slice.blocks; ++i) sums.add(factors[i], counts + i * block);
    } else {
      for (std::int64_t i = 0; i < slice.blocks; ++i) sums.add(factors, words + i * block, counts + i * block);
    }
    for (int lane = 0; lane < block; ++lane) shares[slice.topics[lane]] = sums[lane];
  }
}

inline double make_factors(const std::int32_t* counts, std::int64_t count, double of_beta, double* factors) {
  for (std::int64_t i = 0; i < count; ++i) factors[i] = counts[i] / (of_beta + factors[i]);
  return lda::sum_in_lanes(factors, count);
}

inline double fold(const lda::fold_in::Topics& t, double of_beta) {
  for (std::int64_t k = 0; k < t.count; ++k) {
    t.theta[k] = lda::folded_theta(t.alpha[k], t.weights[k], t.shares[k], of_beta);
    t.weights[k] = lda::weight_of_topic(t.theta[k], t.reciprocals[k]);
  }
  return lda::sum_in_lanes(t.weights, t.count);
}

}  // namespace papilio::inline PAPILIO_TARGET::fold_in_kernel
