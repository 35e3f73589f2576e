#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "papilio/primitives.h"

// Scans with an operator of your own, on the CPU: affine maps, products of 2 x 2 matrices, pairs of a value and a flag.

namespace papilio {

struct ScanWithOptions {
  bool exclusive = false;  // out[i] combines the values before i; else value i is included
  int threads = 0;         // CPU threads; 0: all; never changes a result
};

namespace detail {

inline constexpr std::int64_t scan_run = 16;   // values that are combined one after the other
inline constexpr std::int64_t scan_runs = 32;  // runs of a tile
inline constexpr std::int64_t scan_tile = scan_run * scan_runs;

// Calls body(context, i) for each i in [0, count), on up to `threads` threads, `grain` at a time.
void for_each_part(std::int64_t count, std::int64_t grain, int threads, void (*body)(void* context, std::int64_t i),
                   void* context);

template <class Body>
void for_each_part(std::int64_t count, std::int64_t grain, int threads, Body body) {
  for_each_part(
      count, grain, threads, [](void* context, std::int64_t i) { (*static_cast<Body*>(context))(i); }, &body);
}

// What scan_with checks.
void require_scan_with(const Elements& values, const Elements& out, int threads);
void require_segments(VectorView<const std::int64_t> offsets, std::int64_t values);

// Scans a tile of at most scan_tile values; returns their combination. An exclusive scan leaves out[0] alone.
template <class T, class Operator>
T scan_in_tile(const T* values, std::int64_t count, T* out, const Operator& op, bool exclusive) {
  T scanned[scan_tile], totals[scan_runs];
  const std::int64_t runs = (count + scan_run - 1) / scan_run;
  for (std::int64_t run = 0; run < runs; ++run) {
    const std::int64_t begin = run * scan_run, end = std::min(count, begin + scan_run);
    scanned[begin] = values[begin];
    for (std::int64_t i = begin + 1; i < end; ++i) scanned[i] = op(scanned[i - 1], values[i]);
    totals[run] = scanned[end - 1];
  }
  for (std::int64_t distance = 1; distance < runs; distance *= 2) {
    for (std::int64_t run = runs; run-- > distance;) totals[run] = op(totals[run - distance], totals[run]);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t run = i / scan_run;
    if (exclusive && i % scan_run == 0) {
      if (i > 0) out[i] = totals[run - 1];
      continue;
    }
    const T& inner = scanned[exclusive ? i - 1 : i];
    out[i] = run > 0 ? op(totals[run - 1], inner) : inner;
  }
  return totals[runs - 1];
}

// Scans a segment; see scan_with.
template <class T, class Operator>
void scan_segment(const T* values, std::int64_t count, T* out, const Operator& op, const T& neutral, bool exclusive,
                  int threads) {
  constexpr std::int64_t grain = 16;  // tiles
  const std::int64_t tiles = (count + scan_tile - 1) / scan_tile;
  std::vector<T> totals(static_cast<std::size_t>(tiles));
  for_each_part(tiles, grain, threads, [&](std::int64_t tile) {
    const std::int64_t begin = tile * scan_tile;
    totals[static_cast<std::size_t>(tile)] =
        scan_in_tile(values + begin, std::min(scan_tile, count - begin), out + begin, op, exclusive);
  });
  if (exclusive && count > 0) out[0] = neutral;
  if (tiles <= 1) return;
  scan_segment(totals.data(), tiles, totals.data(), op, neutral, false, threads);
  for_each_part(tiles - 1, grain, threads, [&](std::int64_t before) {
    const T& prefix = totals[static_cast<std::size_t>(before)];
    const std::int64_t begin = (before + 1) * scan_tile, end = std::min(count, begin + scan_tile);
    if (exclusive) out[begin] = prefix;
    for (std::int64_t i = begin + (exclusive ? 1 : 0); i < end; ++i) out[i] = op(prefix, out[i]);
  });
}

}  // namespace detail

// Computes running combinations by an associative operator: out[i] is values[0] op ... op values[i], or, exclusive, up
// to values[i - 1], `neutral` for i = 0.
//
//   values   any trivially copyable type
//   out      one entry per value; may be `values` itself
//   op       T op(T left, T right): associative, need not be commutative; called from several threads
//
// The tree of combinations is fixed by the place in the array alone, so that an operator that rounds gives the same
// bits for any number of threads: runs of 16 values from left to right; the totals of the 32 runs of a tile by doubling
// distances (run l takes in l - 1, then l - 2, l - 4, l - 8, l - 16); the totals of tiles scanned in the same way
// again. An entry is (what the tiles before it come to) op ((the runs before it) op (its run up to it)).
//
// Time O(values), three or four operations per value. Scratch: a value per tile. Throws InvalidArgument for sizes that
// do not fit and arrays that are not on the CPU.
//
//   struct Affine { double a, b; };  // x -> a + b x
//   std::vector<Affine> maps = ..., composed(maps.size());
//   papilio::scan_with<Affine>(maps, composed, [](Affine f, Affine g) { return Affine{g.a + g.b * f.a, f.b * g.b}; },
//                              {0, 1});
//
// Source: Kogge and Stone, IEEE Transactions on Computers C-22(8), 1973; Blelloch, CMU-CS-90-190, 1990.
template <class T, class Operator>
requires std::is_trivially_copyable_v<T>
void scan_with(VectorView<const T> values, VectorView<T> out, const Operator& op,
               const std::type_identity_t<T>& neutral, const ScanWithOptions& options = {}) {
  detail::require_scan_with(detail::elements_of(values), detail::elements_of(VectorView<const T>(out)),
                            options.threads);
  detail::scan_segment(values.data, values.size, out.data, op, T(neutral), options.exclusive, options.threads);
}

// The same within each segment, values[offsets[s]] ... values[offsets[s + 1] - 1]: its results are those of a scan of
// the segment alone. Values outside of segments are left as they are. Throws InvalidArgument naming the first offset
// out of range.
template <class T, class Operator>
requires std::is_trivially_copyable_v<T>
void segmented_scan_with(VectorView<const std::int64_t> offsets, VectorView<const T> values, VectorView<T> out,
                         const Operator& op, const std::type_identity_t<T>& neutral,
                         const ScanWithOptions& options = {}) {
  detail::require_scan_with(detail::elements_of(values), detail::elements_of(VectorView<const T>(out)),
                            options.threads);
  detail::require_segments(offsets, values.size);
  constexpr std::int64_t long_segment = 64 * detail::scan_tile, grain = 64;
  const auto scan_one = [&](std::int64_t s, int threads) {
    const std::int64_t begin = offsets.data[s];
    detail::scan_segment(values.data + begin, offsets.data[s + 1] - begin, out.data + begin, op, T(neutral),
                         options.exclusive, threads);
  };
  const auto is_long = [&](std::int64_t s) { return offsets.data[s + 1] - offsets.data[s] > long_segment; };
  detail::for_each_part(offsets.size - 1, grain, options.threads, [&](std::int64_t s) {
    if (!is_long(s)) scan_one(s, 1);
  });
  for (std::int64_t s = 0; s + 1 < offsets.size; ++s) {
    if (is_long(s)) scan_one(s, options.threads);
  }
}

}  // namespace papilio
