#pragma once

#include <cstdint>

#include "warp/warp.h"

// Where the weights of a tile of rows come from. A provider has
//   size(q)                      the number of categories of row q
//   weight(q, k)                 one weight, rounded to T as every draw sees it
//   add<W>(sums, q, k, signs)    sums + the weights k ... k + 4 W - 1 of row q, four per lane
//   add<W>(..., count)           the same for the first `count` of them
//   quads<W>(...)                in every lane, four neighbouring weights of that lane's row
//   block<W>(q, k)               weights k ... k + W - 1 of row q, one per lane, zeros past the end
//   prefetch<W>(q)               prefetches the beginning of row q > 0 (may do nothing)
//   prefetch_part<W>(q, k, end)  prefetches weights k ... end - 1 of row q (optional)
//   column<W>(k)                 in every lane, weight k of that lane's row, 0 past the end (optional)
//   enter_segment<W>(q, k, end)  is called before weights k ... end - 1 of row q are added (optional)
//   longest()                    the size of the longest row of the tile (optional)
// Any type with these members is a provider (docs/butterfly.md, "Your own weights").

namespace papilio::inline PAPILIO_TARGET::collective {

using warp::Lanes, warp::Mask, warp::Quads, warp::Warp;

// Bytes at the beginning of a row that are prefetched.
// The hardware prefetcher follows from there.
inline constexpr int prefetched_bytes = 1024;

template <class W, class T>
PAPILIO_LANEWISE void prefetch_values(const T* first, std::int64_t count) {
  constexpr std::int64_t a_line = 64 / sizeof(T);
  for (std::int64_t k = 0; k < count; k += a_line) W::prefetch(first + k);
}

// A row of at most this size ends before the hardware prefetcher has caught up, even in a run of such rows.
inline constexpr int short_row_bytes = 256;

// Prefetches the beginning of rows[q], q > 0, unless it is long and follows rows[q - 1]
// in memory: the hardware prefetcher handles a run of long rows best on its own.
template <class W, class T>
PAPILIO_LANEWISE void prefetch_row(const T* const* rows, const std::int64_t* sizes, std::int64_t q) {
  constexpr std::int64_t short_row = short_row_bytes / sizeof(T);
  if (sizes[q] > short_row && rows[q] == rows[q - 1] + sizes[q - 1]) return;
  constexpr std::int64_t most = prefetched_bytes / sizeof(T);
  prefetch_values<W>(rows[q], sizes[q] < most ? sizes[q] : most);
}

// Rows as they are in memory.
template <class T>
struct PlainRows {
  using Weight = T;
  const T* const* values;
  const std::int64_t* sizes;

  PAPILIO_LANEWISE std::int64_t size(int q) const { return sizes[q]; }
  PAPILIO_LANEWISE T weight(int q, std::int64_t k) const { return values[q][k]; }
  PAPILIO_LANEWISE PlainRows from(std::int64_t q) const { return {values + q, sizes + q}; }

  template <Warp W, class Signs, class... Count>
  PAPILIO_LANEWISE Quads<W, T> add(Quads<W, T> sums, int q, std::int64_t k, Signs& signs, Count... count) const {
    auto w = W::load_quads(values[q] + k, count...);
    signs.template collect<W>(w);
    return sums + w;
  }

  // The weights at offset ... offset + 3 of each lane's row, and sums + them.
  template <Warp W>
  PAPILIO_LANEWISE void quads(const std::int64_t* first, Lanes<W, std::int32_t> offset, Lanes<W, std::int32_t> end,
                              Lanes<W, T> (&sums)[4], Lanes<W, T> (&weights)[4]) const {
    const T* base[W::width];
    for (int q = 0; q < W::width; ++q) base[q] = values[q] + first[q];
    W::gather_quads(base, offset, end, weights);
    PAPILIO_UNROLL
    for (int e = 0; e < 4; ++e) sums[e] = sums[e] + weights[e];
  }

  template <Warp W>
  PAPILIO_LANEWISE Lanes<W, T> block(int q, std::int64_t k) const {
    if (k + W::width <= sizes[q]) return W::load(values[q] + k);
    return k < sizes[q] ? W::load(values[q] + k, sizes[q] - k) : W::template splat<T>(0);
  }

  template <Warp W>
  PAPILIO_LANEWISE void prefetch(std::int64_t q) const {
    prefetch_row<W>(values, sizes, q);
  }
  template <Warp W>
  PAPILIO_LANEWISE void prefetch_part(int q, std::int64_t first, std::int64_t end) const {
    prefetch_values<W>(values[q] + first, end - first);
  }
};

// Products of two rows, element by element.
template <class T>
struct ProductRows {
  using Weight = T;
  const T* const* left;
  const T* const* right;
  const std::int64_t* sizes;

  PAPILIO_LANEWISE std::int64_t size(int q) const { return sizes[q]; }
  PAPILIO_LANEWISE T weight(int q, std::int64_t k) const { return left[q][k] * right[q][k]; }
  PAPILIO_LANEWISE ProductRows from(std::int64_t q) const { return {left + q, right + q, sizes + q}; }

  template <Warp W, class Signs, class... Count>
  PAPILIO_LANEWISE Quads<W, T> add(Quads<W, T> sums, int q, std::int64_t k, Signs& signs, Count... count) const {
    auto x = W::load_quads(left[q] + k, count...);
    auto y = W::load_quads(right[q] + k, count...);
    signs.template collect<W>(x, y);
    return W::fma(x, y, sums);
  }

  template <Warp W>
  PAPILIO_LANEWISE void quads(const std::int64_t* first, Lanes<W, std::int32_t> offset, Lanes<W, std::int32_t> end,
                              Lanes<W, T> (&sums)[4], Lanes<W, T> (&weights)[4]) const {
    const T* base[2][W::width];
    for (int q = 0; q < W::width; ++q) base[0][q] = left[q] + first[q], base[1][q] = right[q] + first[q];
    Lanes<W, T> x[4], y[4];
    W::gather_quads(base[0], offset, end, x);
    W::gather_quads(base[1], offset, end, y);
    PAPILIO_UNROLL
    for (int e = 0; e < 4; ++e) {
      sums[e] = W::fma(x[e], y[e], sums[e]);
      weights[e] = x[e] * y[e];
    }
  }

  template <Warp W>
  PAPILIO_LANEWISE Lanes<W, T> block(int q, std::int64_t k) const {
    if (k + W::width <= sizes[q]) return W::load(left[q] + k) * W::load(right[q] + k);
    if (k >= sizes[q]) return W::template splat<T>(0);
    return W::load(left[q] + k, sizes[q] - k) * W::load(right[q] + k, sizes[q] - k);
  }

  // Only the right row is prefetched: the left one serves many draws and is near; the right one may be anywhere.
  template <Warp W>
  PAPILIO_LANEWISE void prefetch(std::int64_t q) const {
    prefetch_row<W>(right, sizes, q);
  }
  template <Warp W>
  PAPILIO_LANEWISE void prefetch_part(int q, std::int64_t first, std::int64_t end) const {
    prefetch_values<W>(right[q] + first, end - first);
  }
};

// Remembers whether a weight had its sign bit set ...
template <Warp W, class T>
struct CollectSigns {
  typename W::template Signs<T> signs{};
  template <Warp, class... Q>
  PAPILIO_LANEWISE void collect(Q&... quads) {
    W::collect_signs(signs, quads...);
  }
  PAPILIO_LANEWISE bool any() const { return W::any_sign(signs); }
};

// ... or does not care.
struct IgnoreSigns {
  template <Warp, class... Q>
  PAPILIO_LANEWISE void collect(Q&...) {}
  PAPILIO_LANEWISE bool any() const { return false; }
};

}  // namespace papilio::inline PAPILIO_TARGET::collective
