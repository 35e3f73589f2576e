#pragma once

#include <cstdint>

#include "papilio/array_view.h"

namespace papilio {

// These functions work on the CPU: they throw InvalidArgument, before reading anything, for an
// array on another device, and for one that is null but has entries, misaligned, of negative size, or written
// while it shares memory with another (except where it may be the same array).

// Counts how often each key in [0, counts.size) occurs: counts[keys[i]] += 1.
//
// Adds to the values in `counts`; zero it first for a plain histogram. Sums are
// integers: the result is exact and the same for any number of threads. Throws
// InvalidArgument naming the first key out of range; counts are then unspecified.
// Time O(keys + counts). Scratch: one copy of `counts` per thread if that is
// smaller than the keys.
//
//   std::vector<std::int32_t> keys = {2, 0, 2};
//   std::vector<std::int64_t> counts(3);
//   papilio::histogram(keys, counts);  // {1, 0, 2}
void histogram(VectorView<const std::int32_t> keys, VectorView<std::int64_t> counts, int threads = 0);
void histogram(VectorView<const std::int32_t> keys, VectorView<std::int32_t> counts, int threads = 0);

// Computes one histogram per segment of the input: row s of `counts` counts the values of
// items offsets[s] ... offsets[s + 1] - 1, where item i has the value
// values[order[i]], or values[i] if `order` is empty. Row s is overwritten.
//
// With offsets by document and topics as values this gives n_dk; with tokens
// ordered by word, n_wk. Segments are independent, so threads share nothing.
// Throws InvalidArgument for a value outside [0, counts.columns).
void histogram_by_key(VectorView<const std::int32_t> values, VectorView<const std::int64_t> offsets,
                      VectorView<const std::int64_t> order, MatrixView<std::int32_t> counts, int threads = 0);

// Computes sums[i] = values[0] + ... + values[i - 1], so sums[0] == 0, and returns the total.
// `sums` has as many entries as `values`, or one more, which then receives the
// total, so that counts become offsets. It may be the same array as `values`.
// Throws InvalidArgument for other sizes, and where a sum overflows int64.
//
//   {2, 0, 3} -> {0, 2, 2}, or {0, 2, 2, 5}
std::int64_t exclusive_scan(VectorView<const std::int64_t> values, VectorView<std::int64_t> sums, int threads = 0);
std::int64_t exclusive_scan(VectorView<const std::int32_t> values, VectorView<std::int64_t> sums, int threads = 0);

// Copies the values whose flag is not 0 to `kept`, in order, and returns their number. `kept` must
// have room for all of them (InvalidArgument otherwise). It may be `values` itself
// only if threads == 1.
std::int64_t compact(VectorView<const std::int32_t> values, VectorView<const std::uint8_t> flags,
                     VectorView<std::int32_t> kept, int threads = 0);

// Sorts item numbers by key, keeping the order of equal keys (a counting sort:
// histogram, exclusive scan, scatter). The items of key k are order[offsets[k]] ...
// order[offsets[k + 1] - 1]. `offsets` has one more entry than there are keys, `order` one per item.
//
//   keys {1, 0, 1} -> offsets {0, 1, 3}, order {1, 0, 2}
void sort_by_key(VectorView<const std::int32_t> keys, VectorView<std::int64_t> offsets, VectorView<std::int64_t> order,
                 int threads = 0);

}  // namespace papilio
