#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "papilio/array_view.h"
#include "papilio/choice.h"

// Passes over whole arrays. Every function throws InvalidArgument, before it reads anything, for an array that is null
// but has entries, misaligned, of negative size, or an output that shares memory with another array (unless it
// may be the same array), and for arrays that are not all on one device.
//
// The functions run where their arrays are, on the CPU or on a CUDA device; histogram_by_key, and the compact without
// options, on the CPU only. docs/primitives.md has all the rules that they share.

namespace papilio {

// The operator that combines values. Results do not depend on the order of the values:
//
//   sum      of integers: exact; one that does not fit its type is an error. Of float and double: the exact sum,
//            rounded once to its type (to nearest, ties to even); a sum of 0 is +0. NaN where a value is NaN or
//            infinities of both signs meet, else an infinity where a value is one.
//   minimum, maximum   -0 is below +0; NaN where a value is NaN
//   bit_and, bit_or, bit_xor   of integers only
//
// Every NaN that a function makes is the quiet one without sign and payload (0x7fc00000, 0x7ff8000000000000).
enum class ReduceOp : std::uint8_t { sum, minimum, maximum, bit_and, bit_or, bit_xor };

// A row of `reduce_ops()`.
struct ReduceOpChoice : Choice<ReduceOp> {
  bool floats;  // takes float and double
};

// Every operator, the default first.
std::span<const ReduceOpChoice> reduce_ops() noexcept;

// "sum", "minimum", ...; "unknown" for a number that is not an enumerator.
std::string_view name(ReduceOp op) noexcept;

// The operator of that name. Throws InvalidArgument with the known names.
ReduceOp parse_reduce_op(std::string_view name);

// What is wrong with the contents of arrays. On the CPU it is thrown; on a device, where a call does not wait for its
// result, it is written to the call's status word.
enum class PrimitiveError : std::uint8_t {
  none,
  offset_out_of_range,  // offset `place` is below the one before it, negative, or beyond the values
  index_out_of_range,   // index `place` is not that of a bin
  no_room,              // `place` values are flagged, more than `kept` holds
  sum_overflow,         // the sum of bin or segment `place`, or of the values up to `place`, does not fit its type
};

struct PrimitiveStatus {
  PrimitiveError error = PrimitiveError::none;
  std::int64_t place = 0;  // the first place with this error

  friend bool operator==(const PrimitiveStatus&, const PrimitiveStatus&) = default;
};

// Decodes a status word that was copied from the device: -1 if nothing is wrong, else error * 2^56 + place.
// If there are several errors, it is the one that is listed first above, at its first place.
PrimitiveStatus primitive_status(std::int64_t word) noexcept;

// The options that the calls share.
//
//   threads      CPU threads; 0: all; never changes a result
//   cuda_stream  for arrays on a CUDA device: the stream (a cudaStream_t; null is the default stream) that the work is
//                queued on. The call allocates nothing, waits for nothing and may be captured into a CUDA graph
//   workspace    memory on that device, of NAME_workspace_bytes, aligned to 256 bytes; on the CPU it stays empty
//   status       one word on that device, or empty. Without it, errors in the arrays are not reported; they never lead
//                to an access out of bounds, but the results are unspecified. On the CPU, a status word is written
//                instead of throwing
struct ReduceByIndexOptions {
  ReduceOp op = ReduceOp::sum;
  bool skip_out_of_range = false;  // items whose index is not that of a bin are left out; else they are an error
  // On a device: no copy of the items in the workspace for sums into 10.5 to 100 million bins (int32: 21 to 100). The
  // copy makes these sums 1.2 to 2 times as fast. Results are the same.
  bool small_workspace = false;
  int threads = 0;
  void* cuda_stream = nullptr;
  VectorView<std::byte> workspace = {};
  VectorView<std::int64_t> status = {};
};

// Combines each value with the bin of its index: out[indices[i]] = op(out[indices[i]], values[i]), for all i.
//
//   indices  Index is int32 or int64, from 0; any number of bins up to what memory holds
//   values   T is int32, int64, float or double; one per index
//   out      the bins; their old values are included. Set them to the operator's neutral element for a plain reduction
//            (0 for sums)
//
// The result does not depend on the order of the items. Sums of floats are computed in fixed point of 128 bits: with n
// items and the largest finite |value| below 2^e, in units of q = 2^(e + b - 127), where n < 2^b. A value that is not a
// multiple of q is first rounded towards 0 to one; so the error of a bin is below q times the number of its values,
// plus half a unit in the last place. It is only the latter if the largest and the smallest exponent of the values
// (other than 0) differ by at most 103 - b for float, 74 - b for double. The bin's old value is added exactly, before
// this one rounding. A bin whose values sum to 0 keeps its old value, as does one that holds NaN.
//
// Time O(items + bins). Scratch on the CPU: tables of at most the size of the items, or 24 MiB. Sums of floats also
// take the smaller of 16 bytes per bin, and 8 to 12 per item with a part of a table (on one thread, if the items are
// larger, a table of 8 or 16 bytes per bin). For a device see docs/primitives.md. Throws InvalidArgument naming the
// first index out of range (unless skipped) and the first bin whose sum does not fit; `out` is then
// unspecified.
//
//   std::vector<std::int32_t> indices = {0, 3, 1, 3};
//   std::vector<float> values = {1, 2, 3, 4}, out(4);
//   papilio::reduce_by_index<std::int32_t, float>(indices, values, out);  // {1, 3, 0, 6}
template <class Index, class T>
void reduce_by_index(VectorView<const Index> indices, VectorView<const T> values, VectorView<T> out,
                     const ReduceByIndexOptions& options = {});

// Counts the indices: out[indices[i]] += 1. `op` must be sum; T is int32 or int64.
template <class Index, class T>
void reduce_by_index(VectorView<const Index> indices, VectorView<T> out, const ReduceByIndexOptions& options = {});

// The bytes of `workspace` that the call needs; 0 on the CPU. Reads sizes and devices only.
template <class Index, class T>
std::int64_t reduce_by_index_workspace_bytes(VectorView<const Index> indices, VectorView<const T> values,
                                             VectorView<T> out, const ReduceByIndexOptions& options = {});
template <class Index, class T>
std::int64_t reduce_by_index_workspace_bytes(VectorView<const Index> indices, VectorView<T> out,
                                             const ReduceByIndexOptions& options = {});

// See ReduceByIndexOptions.
struct SegmentedReduceOptions {
  ReduceOp op = ReduceOp::sum;
  int threads = 0;
  void* cuda_stream = nullptr;
  VectorView<std::byte> workspace = {};
  VectorView<std::int64_t> status = {};
};

// Combines the values of each segment: out[s] is op over values[offsets[s]] ... values[offsets[s + 1] - 1].
//
//   offsets  one entry more than there are segments: from 0 to values.size, not decreasing
//   values   T is int32, int64, float or double
//   out      one entry per segment. An empty segment gives the neutral element: 0 for sum, bit_or and bit_xor; all bits
//            for bit_and; the largest value of the type, or +infinity, for minimum; the least, or -infinity, for
//            maximum
//
// Sums of floats are exact and rounded once (ReduceOp): a result does not depend on the order of the segment's values.
//
// Time O(values + segments). Scratch: a few hundred bytes per part of the work. Throws InvalidArgument naming the first
// offset out of range, or the first segment whose sum does not fit; `out` is then unspecified.
//
//   std::vector<std::int64_t> offsets = {0, 3, 3, 4};
//   std::vector<double> values = {1e100, 1, -1e100, 2}, sums(3);
//   papilio::segmented_reduce<double>(offsets, values, sums);  // {1, 0, 2}
template <class T>
void segmented_reduce(VectorView<const std::int64_t> offsets, VectorView<const T> values, VectorView<T> out,
                      const SegmentedReduceOptions& options = {});
template <class T>
std::int64_t segmented_reduce_workspace_bytes(VectorView<const std::int64_t> offsets, VectorView<const T> values,
                                              VectorView<T> out, const SegmentedReduceOptions& options = {});

// See ReduceByIndexOptions.
struct ScanOptions {
  ReduceOp op = ReduceOp::sum;
  bool exclusive = false;  // out[i] is op over the values before i; else value i is included
  int threads = 0;
  void* cuda_stream = nullptr;
  VectorView<std::byte> workspace = {};
  VectorView<std::int64_t> status = {};
};

// Computes the running combinations of the values: out[i] is op over values[0] ... values[i], or, exclusive, over
// values[0] ... values[i - 1], the neutral element (see segmented_reduce) if there are none.
//
//   values  T is int32, int64, float or double
//   out     one entry per value. For an exclusive scan it may have one more, which receives op over all values. It
//           may be `values` itself
//
// Sums of floats: every entry is the exact sum of its values, rounded once (ReduceOp). So any number of threads gives
// the same bits, and errors do not grow along the array.
//
// Time O(values). Scratch: a few hundred bytes per part of the work. Throws InvalidArgument naming the first sum that
// does not fit; `out` is then unspecified. For operators of your own see papilio/scan_with.h.
//
//   std::vector<std::int32_t> values = {1, 2, 3, 4, 5}, sums(5);
//   papilio::scan<std::int32_t>(values, sums);  // {1, 3, 6, 10, 15}
template <class T>
void scan(VectorView<const T> values, VectorView<T> out, const ScanOptions& options = {});
template <class T>
std::int64_t scan_workspace_bytes(VectorView<const T> values, VectorView<T> out, const ScanOptions& options = {});

// The same within each segment: a scan that restarts at each offset, or at each value whose flag is not 0 (and at
// the first value). `out` has one entry per value and may be `values` itself; with offsets (see segmented_reduce),
// entries of values before the first and after the last offset are left as they are.
//
//   flags 1, 0, 0, 1, 0, 1, 0, 0 and values 1 ... 8 -> 1, 3, 6, 4, 9, 6, 13, 21
template <class T>
void segmented_scan(VectorView<const std::int64_t> offsets, VectorView<const T> values, VectorView<T> out,
                    const ScanOptions& options = {});
template <class T>
void segmented_scan(VectorView<const std::uint8_t> flags, VectorView<const T> values, VectorView<T> out,
                    const ScanOptions& options = {});
template <class T>
std::int64_t segmented_scan_workspace_bytes(VectorView<const std::int64_t> offsets, VectorView<const T> values,
                                            VectorView<T> out, const ScanOptions& options = {});
template <class T>
std::int64_t segmented_scan_workspace_bytes(VectorView<const std::uint8_t> flags, VectorView<const T> values,
                                            VectorView<T> out, const ScanOptions& options = {});

// See ReduceByIndexOptions.
struct CompactOptions {
  VectorView<std::int64_t> count = {};  // one entry, or empty: receives the number of values that are flagged
  int threads = 0;
  void* cuda_stream = nullptr;
  VectorView<std::byte> workspace = {};
  VectorView<std::int64_t> status = {};
};

namespace detail {

template <class Flag>
std::int64_t compact_elements(VectorView<const Flag> flags, const Elements& values, const WritableElements& kept,
                              const CompactOptions& options);
template <class Flag>
std::int64_t compact_elements_workspace_bytes(VectorView<const Flag> flags, const Elements& values,
                                              const WritableElements& kept, const CompactOptions& options);

}  // namespace detail

// Copies the values whose flag is not 0 to `kept`, in order, and returns their number; on a device it returns -1, and
// only `options.count` receives the number.
//
//   flags   Flag is uint8 or int32; one per value
//   values  any trivially copyable type
//   kept    must have room for the flagged ones: otherwise the call throws
//           InvalidArgument and writes nothing. It must not overlap
//           `values` or `flags`
//
// Time O(values). Scratch: one number per part of the work.
//
//   std::vector<std::int32_t> flags = {0, 1, 1, 0};
//   std::vector<double> values = {1, 2, 3, 4}, kept(4);
//   papilio::compact<std::int32_t, double>(flags, values, kept);  // 2; kept is {2, 3, 0, 0}
template <class Flag, class T>
requires std::is_trivially_copyable_v<T> std::int64_t compact(VectorView<const Flag> flags, VectorView<const T> values,
                                                              VectorView<T> kept, const CompactOptions& options = {}) {
  return detail::compact_elements(flags, detail::elements_of(values), detail::elements_of(kept), options);
}
template <class Flag, class T>
requires std::is_trivially_copyable_v<T> std::int64_t compact_workspace_bytes(VectorView<const Flag> flags,
                                                                              VectorView<const T> values,
                                                                              VectorView<T> kept,
                                                                              const CompactOptions& options = {}) {
  return detail::compact_elements_workspace_bytes(flags, detail::elements_of(values), detail::elements_of(kept),
                                                  options);
}

// See ReduceByIndexOptions. Needs no workspace.
struct TransposeOptions {
  std::int64_t batch = 1;            // this many matrices of the same shape
  std::int64_t in_batch_stride = 0;  // from one matrix to the next, in elements
  std::int64_t out_batch_stride = 0;
  int threads = 0;
  void* cuda_stream = nullptr;
};

namespace detail {

// A batch of matrices of elements of `size` bytes; strides count elements.
struct ElementMatrices {
  const void* data;
  std::int64_t rows, columns, row_stride, column_stride, batch_stride;
  std::int64_t alignment;
  Device device;
};

template <class T>
ElementMatrices elements_of(const MatrixView<T>& view, std::int64_t batch_stride) {
  ElementMatrices elements = {view.data,    view.rows, view.columns, view.row_stride, view.column_stride,
                              batch_stride, 0,         view.device};
  elements.alignment = alignof(T);
  return elements;
}

void transpose_elements(const ElementMatrices& in, const ElementMatrices& out, std::int64_t size,
                        const TransposeOptions& options);

}  // namespace detail

// Transposes a matrix, or each of a batch: out(j, i) = in(i, j), in blocks that fit caches.
//
//   in, out  any trivially copyable type of 1 to 16 bytes. `in` may have any strides; those of `out` must keep its
//            elements apart. `out` must not overlap `in`
//
// Time O(elements).
//
//   std::vector<float> a = {1, 2, 3, 4, 5, 6}, t(6);
//   papilio::transpose<float>({a.data(), 2, 3}, {t.data(), 3, 2});  // {1, 4, 2, 5, 3, 6}
template <class T>
requires(std::is_trivially_copyable_v<T> && sizeof(T) <= 16) void transpose(MatrixView<const T> in, MatrixView<T> out,
                                                                            const TransposeOptions& options = {}) {
  detail::transpose_elements(detail::elements_of(in, options.in_batch_stride),
                             detail::elements_of(out, options.out_batch_stride), sizeof(T), options);
}

// Second part: counts, offsets and orders of integer keys.

// See ReduceByIndexOptions.
struct PassOptions {
  int threads = 0;
  void* cuda_stream = nullptr;
  VectorView<std::byte> workspace = {};
  VectorView<std::int64_t> status = {};
};

// Counts how often each key in [0, counts.size) occurs: counts[keys[i]] += 1.
//
// Adds to the values in `counts`; zero it first for a plain histogram. Sums are integers: the result is exact and the
// same for any number of threads and on a CUDA device. Throws InvalidArgument naming the first key out of range
// (index_out_of_range in a status); counts are then unspecified.
// Time O(keys + counts). Scratch: on the CPU one copy of `counts` per thread if that is smaller than the keys; on a
// device none.
//
//   std::vector<std::int32_t> keys = {2, 0, 2};
//   std::vector<std::int64_t> counts(3);
//   papilio::histogram(keys, counts);  // {1, 0, 2}
void histogram(VectorView<const std::int32_t> keys, VectorView<std::int64_t> counts, int threads = 0);
void histogram(VectorView<const std::int32_t> keys, VectorView<std::int32_t> counts, int threads = 0);
void histogram(VectorView<const std::int32_t> keys, VectorView<std::int64_t> counts, const PassOptions& options);
void histogram(VectorView<const std::int32_t> keys, VectorView<std::int32_t> counts, const PassOptions& options);

// Computes one histogram per segment of the input: row s of `counts` counts the values of items offsets[s] ...
// offsets[s + 1] - 1, where item i has the value values[order[i]], or values[i] if `order` is empty. Row s is
// overwritten.
//
// With offsets by document and topics as values this gives n_dk; with tokens ordered by word, n_wk. Segments are
// independent, so threads share nothing.
// Throws InvalidArgument for a value outside [0, counts.columns).
void histogram_by_key(VectorView<const std::int32_t> values, VectorView<const std::int64_t> offsets,
                      VectorView<const std::int64_t> order, MatrixView<std::int32_t> counts, int threads = 0);

// Computes sums[i] = values[0] + ... + values[i - 1], so sums[0] == 0, and returns the total; on a device, where the
// call does not wait for the total, -1.
// `sums` has as many entries as `values`, or one more, which then receives the total, so that counts become offsets. It
// may be the same array as `values`.
// Throws InvalidArgument for other sizes, and if a sum overflows int64 (in a status, sum_overflow of the first entry of
// `sums` that does not fit; on a device the total is checked only if it is an entry). On a device the workspace has
// exclusive_scan_workspace_bytes.
//
//   {2, 0, 3} -> {0, 2, 2}, or {0, 2, 2, 5}
std::int64_t exclusive_scan(VectorView<const std::int64_t> values, VectorView<std::int64_t> sums, int threads = 0);
std::int64_t exclusive_scan(VectorView<const std::int32_t> values, VectorView<std::int64_t> sums, int threads = 0);
std::int64_t exclusive_scan(VectorView<const std::int64_t> values, VectorView<std::int64_t> sums,
                            const PassOptions& options);
std::int64_t exclusive_scan(VectorView<const std::int32_t> values, VectorView<std::int64_t> sums,
                            const PassOptions& options);
std::int64_t exclusive_scan_workspace_bytes(VectorView<const std::int64_t> values, VectorView<std::int64_t> sums);
std::int64_t exclusive_scan_workspace_bytes(VectorView<const std::int32_t> values, VectorView<std::int64_t> sums);

// Copies the values whose flag is not 0 to `kept`, in order, and returns their number. `kept` must
// have room for all of them (InvalidArgument otherwise). It may be `values` itself
// only if threads == 1.
std::int64_t compact(VectorView<const std::int32_t> values, VectorView<const std::uint8_t> flags,
                     VectorView<std::int32_t> kept, int threads = 0);

// Sorts item numbers by key, keeping the order of equal keys (a counting sort: histogram, exclusive scan, scatter). The
// items of key k are order[offsets[k]] ... order[offsets[k + 1] - 1]. `offsets` has one more entry than there are keys,
// `order` one per item.
//
// The order is the same for any number of threads and on a CUDA device. There a radix sort computes it, in a workspace
// of sort_by_key_workspace_bytes, about 16 bytes per item. Throws InvalidArgument naming the first key out of
// range (index_out_of_range in a status); both outputs are then unspecified. Time O(keys + items), on a device
// O(items * bits of the keys).
//
//   keys {1, 0, 1} -> offsets {0, 1, 3}, order {1, 0, 2}
void sort_by_key(VectorView<const std::int32_t> keys, VectorView<std::int64_t> offsets, VectorView<std::int64_t> order,
                 int threads = 0);
void sort_by_key(VectorView<const std::int32_t> keys, VectorView<std::int64_t> offsets, VectorView<std::int64_t> order,
                 const PassOptions& options);
std::int64_t sort_by_key_workspace_bytes(VectorView<const std::int32_t> keys, VectorView<std::int64_t> offsets,
                                         VectorView<std::int64_t> order);

}  // namespace papilio
