#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "collective/partial_sums/slots.h"
#include "collective/rows.h"
#include "random/elementary_lanes.h"
#include "sampling/logits/logit_rows.h"

// Turns rows of logits into rows of weights on one CPU thread: the body that every
// instruction-set target compiles. `LogitRows` does it while slots are summed and stores
// at most one segment; `weigh_logits_by_lanes` writes a whole row, for the other methods.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// The largest of a row's logits, ignoring NaN; -infinity if there is none.
template <warp::Warp W>
PAPILIO_LANEWISE double largest_logit(const double* row, std::int64_t count) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::int64_t k = 0; k < count; ++k) most = most < row[k] ? row[k] : most;
  return most;
}
template <warp::Warp W>
PAPILIO_LANEWISE float largest_logit(const float* row, std::int64_t count) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  constexpr int at_once = 4;  // comparisons that need not wait for each other
  warp::Lanes<W, float> largest[at_once];
  for (auto& lanes : largest) lanes = W::template splat<float>(none);
  std::int64_t k = 0;
  for (; k + at_once * W::width <= count; k += at_once * W::width) {
    PAPILIO_UNROLL
    for (int i = 0; i < at_once; ++i) {
      const auto x = W::load(row + k + i * W::width);
      largest[i] = W::select(W::less(largest[i], x), x, largest[i]);  // passes over NaN
    }
  }
  const auto larger = [](auto a, auto b) { return W::select(W::less(a, b), b, a); };
  for (; k + W::width <= count; k += W::width) largest[0] = larger(largest[0], W::load(row + k));
  float each[W::width];
  W::store(each, larger(larger(largest[0], largest[1]), larger(largest[2], largest[3])));
  for (int half = W::width / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) each[l] = each[l] < each[l + half] ? each[l + half] : each[l];
  float most = each[0];
  for (; k < count; ++k) most = most < row[k] ? row[k] : most;
  return most;
}

// The weights of W logits, 2^((x - largest) scale), where the largest of the row is finite.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> weights_of(warp::Lanes<W, float> x, warp::Lanes<W, float> largest,
                                                  warp::Lanes<W, float> scale) {
  const auto weight = random::exp2_or_zero<W>((x - largest) * scale);
  const auto is_number = W::less(x, W::template splat<float>(std::numeric_limits<float>::infinity()));
  return W::select(is_number, weight, x);  // NaN stays NaN
}

// The same for doubles. There is no exponential for double lanes here: each lane calls the scalar one.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, double> weights_of(warp::Lanes<W, double> x, warp::Lanes<W, double> largest,
                                                   warp::Lanes<W, double> scale) {
  double logit[W::width], most[W::width], factor[W::width];
  W::store(logit, x), W::store(most, largest), W::store(factor, scale);
  for (int l = 0; l < W::width; ++l) logit[l] = weight_of_logit(logit[l], most[l], factor[l]);
  return W::load(logit);
}

// `weights` may be the memory of the logits. If the largest logit is not finite, the row
// cannot be drawn from: -infinity and finite logits become 0, and the others stay as they are.
template <warp::Warp W, class T>
void weigh_logits_by_lanes(const T* logits, T* weights, std::int64_t count, T most, T scale) {
  if (!(most - most == 0)) {
    for (std::int64_t k = 0; k < count; ++k) weights[k] = weight_in_bad_row(logits[k]);
    return;
  }
  const auto largest = W::template splat<T>(most), scales = W::template splat<T>(scale);
  for (std::int64_t k = 0; k < count; k += W::width) {
    if (k + W::width <= count) {
      W::store(weights + k, weights_of<W>(W::load(logits + k), largest, scales));
      continue;
    }
    T all[W::width];
    W::store(all, weights_of<W>(W::load(logits + k, count - k), largest, scales));
    std::memcpy(weights + k, all, static_cast<std::size_t>(count - k) * sizeof(T));
  }
}

// Rows of logits seen as rows of weights (collective/rows.h), one tile at a time, for the method `slots` only.
template <warp::Warp W, class T>
struct LogitRows {
  using Weight = T;
  // One thread's memory.
  struct Tile {
    T largest[W::width];                  // of each row, once its first segment was entered
    T segment[collective::segment_size];  // the weights of the segment entered last
  };
  const T* const* logits;
  const std::int64_t* sizes;
  T scale;
  Tile* tile;

  PAPILIO_LANEWISE std::int64_t size(int q) const { return sizes[q]; }
  PAPILIO_LANEWISE LogitRows from(std::int64_t q) const { return {logits + q, sizes + q, scale, tile}; }
  PAPILIO_LANEWISE T weight(int q, std::int64_t k) const {
    T one;
    weigh_logits_by_lanes<W>(logits[q] + k, &one, 1, tile->largest[q], scale);
    return one;
  }

  // Computes the weights of a segment. Everything else reads them from here, in cache.
  template <warp::Warp>
  PAPILIO_LANEWISE void enter_segment(int q, std::int64_t first, std::int64_t end) const {
    if (first == 0) tile->largest[q] = largest_logit<W>(logits[q], sizes[q]);
    if (first < end) weigh_logits_by_lanes<W>(logits[q] + first, tile->segment, end - first, tile->largest[q], scale);
  }

  template <warp::Warp, class Signs, class... Count>
  PAPILIO_LANEWISE warp::Quads<W, T> add(warp::Quads<W, T> sums, int, std::int64_t k, Signs&, Count... count) const {
    return sums + W::load_quads(tile->segment + k % collective::segment_size, count...);
  }

  template <warp::Warp>
  PAPILIO_LANEWISE void quads(const std::int64_t* first, warp::Lanes<W, std::int32_t> offset,
                              warp::Lanes<W, std::int32_t> end, warp::Lanes<W, T> (&sums)[4],
                              warp::Lanes<W, T> (&weights)[4]) const {
    const T* base[W::width];
    for (int q = 0; q < W::width; ++q) base[q] = logits[q] + first[q];
    warp::Lanes<W, T> x[4];
    W::gather_quads(base, offset, end, x);
    const auto largest = W::load(tile->largest), scales = W::template splat<T>(scale);
    for (int e = 0; e < 4; ++e) {
      weights[e] = W::select(W::less(offset + e, end), weights_of<W>(x[e], largest, scales), W::template splat<T>(0));
      sums[e] = sums[e] + weights[e];
    }
  }

  template <warp::Warp>
  PAPILIO_LANEWISE void prefetch(std::int64_t q) const {
    collective::prefetch_row<W>(logits, sizes, q);
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
